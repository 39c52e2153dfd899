"""What scikit-learn calls: metric functions, scorers and estimators."""
