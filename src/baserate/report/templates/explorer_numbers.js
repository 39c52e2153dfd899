// The mathematics of the explorer: tables of counts, metrics, guesses, best cuts. Pure functions of
// plain numbers; nothing here knows of the page.

/** @typedef {{tp: number, fn: number, fp: number, tn: number}} Table */
/**
 * What the reader has chosen: which curve, which cut of it (0 calls nothing positive), the base
 * rate (null for that of the cases), the threshold probability, the guess, and out of how many.
 * @typedef {{curve: number, cut: number, baseRate: number|null, tau: number, guess: string,
 *            people: number}} Setting
 */

const SAME = 1e-12; // two means that differ by less, beside their size, differ by rounding
const NOISE = 1e-15; // what rounding leaves of terms of size one that cancel

/** Divide; any zero denominator gives NaN, x/0 as well as 0/0. */
const ratio = (top, bottom) => (bottom === 0 ? NaN : top / bottom);
const total = (t) => t.tp + t.fn + t.fp + t.tn;

const FORMULAS = {
  accuracy: (t) => ratio(t.tp + t.tn, total(t)),
  recall: (t) => ratio(t.tp, t.tp + t.fn),
  specificity: (t) => ratio(t.tn, t.fp + t.tn),
  precision: (t) => ratio(t.tp, t.tp + t.fp),
  negative_predictive_value: (t) => ratio(t.tn, t.fn + t.tn),
  f1: (t) => ratio(2 * t.tp, 2 * t.tp + t.fn + t.fp),
  balanced_accuracy: (t) => (ratio(t.tp, t.tp + t.fn) + ratio(t.tn, t.fp + t.tn)) / 2,
  informedness: (t) => ratio(t.tp, t.tp + t.fn) - ratio(t.fp, t.fp + t.tn),
  matthews_correlation: (t) =>
    ratio(
      t.tp * t.tn - t.fp * t.fn,
      Math.sqrt((t.tp + t.fn) * (t.fp + t.tn) * ((t.tp + t.fp) * (t.fn + t.tn))),
    ),
  cohen_kappa: (t) =>
    ratio(
      2 * (t.tp * t.tn - t.fp * t.fn),
      (t.tp + t.fp) * (t.fp + t.tn) + (t.tp + t.fn) * (t.fn + t.tn),
    ),
  net_benefit: (t, tau) => ratio(t.tp - (tau / (1 - tau)) * t.fp, total(t)),
};

/** The table with its classes reweighted to a base rate; NaN throughout if one is empty. */
function restated(t, baseRate) {
  const n = total(t);
  const up = ratio(n * baseRate, t.tp + t.fn);
  const down = ratio(n * (1 - baseRate), t.fp + t.tn);
  if (Number.isNaN(up + down)) return { tp: NaN, fn: NaN, fp: NaN, tn: NaN };
  return { tp: t.tp * up, fn: t.fn * up, fp: t.fp * down, tn: t.tn * down };
}

const tableAt = (t, baseRate) => (baseRate === null ? t : restated(t, baseRate));

/** The table at a cut of a curve. */
function tableOf(curve, cut) {
  const tp = curve.tp[cut];
  const fp = curve.fp[cut];
  return { tp, fn: curve.positives - tp, fp, tn: curve.negatives - fp };
}

/** A metric's value; recall and its like are those of the cases at any base rate. */
function valueOf(metric, t, setting) {
  const at = metric.dependsOnBaseRate ? tableAt(t, setting.baseRate) : t;
  return FORMULAS[metric.name](at, setting.tau);
}

/** Why a metric has no value at a table; "" if it has one. */
function undefinedReason(metric, t, setting) {
  const sums = setting.baseRate === null ? metric.undefined : metric.undefinedRestated;
  const empty = (cells) => cells.split("+").every((cell) => t[cell] === 0);
  const found = sums.find(([cells]) => empty(cells));
  return found ? found[1] : "";
}

/** A metric's mean over all ways to call a share of the cases positive blindly. */
function ofGuess(metric, t, setting, share) {
  const n = total(t);
  const rate = setting.baseRate;
  const up = rate === null ? t.tp + t.fn : rate;
  const down = rate === null ? t.fp + t.tn : 1 - rate;
  if (!(n > 0)) return NaN;
  const mean = {
    tp: up * share, fn: up * (1 - share), fp: down * share, tn: down * (1 - share),
  };
  const value = FORMULAS[metric.name](mean, setting.tau);
  const noise = NOISE * Math.max(1, setting.tau / (1 - setting.tau));
  return Math.abs(value) <= noise ? 0 : value;
}

/** Shares among which the best guess is: the metrics shown rise, fall or stay between them. */
function bestShares(t, setting, weighted) {
  if (setting.baseRate !== null) return [0, 0.5, 1];
  const n = total(t);
  return weighted || n < 2 ? [0, 1] : [0, 1 / n, (n - 1) / n, 1];
}

/** Chance by both guesses; NaN where there is none. */
function chances(metric, t, setting, weighted) {
  if (weighted && setting.baseRate === null && !metric.linear) {
    return { same_alarms: NaN, dutch_draw: NaN };
  }
  const known = bestShares(t, setting, weighted)
    .map((share) => ofGuess(metric, t, setting, share))
    .filter((value) => !Number.isNaN(value));
  return {
    same_alarms: ofGuess(metric, t, setting, ratio(t.tp + t.fp, total(t))),
    dutch_draw: known.length ? Math.max(...known) : NaN,
  };
}

/** All that the page says of one metric: value, chances, skill, and reasons for what lacks. */
function measured(data, metric, t, setting, weighted) {
  const value = valueOf(metric, t, setting);
  const perfectTable = { tp: t.tp + t.fn, fn: 0, fp: 0, tn: t.fp + t.tn };
  const perfect = valueOf(metric, perfectTable, setting);
  const chance = chances(metric, t, setting, weighted);
  const guessed = chance[setting.guess];
  const reason = undefinedReason(metric, t, setting);
  let noSkill = "";
  if (Number.isNaN(value)) noSkill = reason;
  else if (Number.isNaN(perfect)) noSkill = "undefined for a table without errors";
  else if (weighted && setting.baseRate === null && !metric.linear) {
    noSkill = data.weightedNotLinear;
  } else if (Number.isNaN(guessed)) noSkill = "undefined, or may be, however one guesses";
  else if (Math.abs(perfect - guessed) <= SAME * Math.max(Math.abs(perfect), Math.abs(guessed))) {
    noSkill = "guessing is perfect here";
  }
  const skill = noSkill ? NaN : (value - guessed) / (perfect - guessed);
  return { value, reason, perfect, chance, skill, noSkill };
}

/** The cut at which a metric is best; of equals the one with the fewest alarms; -1 for none. */
function bestCut(curve, metric, setting) {
  const values = curve.tp.map((_, cut) => valueOf(metric, tableOf(curve, cut), setting));
  const top = values.reduce((best, value) => (value > best ? value : best), -Infinity);
  const slack = SAME * Math.max(Math.abs(top), 0.01);
  return values.findIndex((value) => value >= top - slack);
}

/** Whole numbers in the ratio of some shares that add up to a size, by largest remainders. */
function wholes(shares, size) {
  const exact = shares.map((share) => share * size);
  const found = exact.map(Math.floor);
  const byRest = exact.map((x, at) => [x - found[at], at]).sort((a, b) => b[0] - a[0]);
  const lacking = size - found.reduce((sum, x) => sum + x, 0);
  byRest.slice(0, lacking).forEach(([, at]) => (found[at] += 1));
  return found;
}

/** The table of so many people; null where a class is empty and so has no rates to restate. */
function ofPeople(t, setting) {
  const at = tableAt(t, setting.baseRate);
  const n = total(at);
  if (!(n > 0)) return null;
  const shares = [at.tp, at.fn, at.fp, at.tn].map((x) => x / n);
  const [tp, fn, fp, tn] = wholes(shares, setting.people);
  return { tp, fn, fp, tn };
}

/** Net benefit of a table, of treating all and of treating none. */
function benefits(t, setting) {
  const of = (table) => FORMULAS.net_benefit(tableAt(table, setting.baseRate), setting.tau);
  const everyone = { tp: t.tp + t.fn, fn: 0, fp: t.fp + t.tn, tn: 0 };
  return { cut: of(t), all: of(everyone), none: Number.isNaN(of(everyone)) ? NaN : 0 };
}

/** A share of positives among like scores, once the base rate has changed. */
function shareAt(share, curve, baseRate) {
  if (baseRate === null) return share;
  const own = curve.positives / (curve.positives + curve.negatives);
  const up = ratio(share * baseRate, own);
  return ratio(up, up + ratio((1 - share) * (1 - baseRate), 1 - own));
}

/** A share of n cases with its 95% interval by Wilson: as the reports have it when asked. */
function wilson(k, n) {
  const z = 1.959963984540054;
  const middle = (k + (z * z) / 2) / (n + z * z);
  const half = (z * Math.sqrt((k * (n - k)) / n + (z * z) / 4)) / (n + z * z);
  return n > 0 ? { value: k / n, low: k === 0 ? 0 : middle - half, high: k === n ? 1 : middle + half } : null;
}

/** Recall and specificity with intervals: what the cases vouch for, at any base rate. */
function ratesOf(t, weighted) {
  if (weighted) return { recall: null, specificity: null }; // weights have no such interval
  return { recall: wilson(t.tp, t.tp + t.fn), specificity: wilson(t.tn, t.fp + t.tn) };
}

/** Every number of a setting. */
function numbersOf(data, setting) {
  const curve = data.curves[setting.curve];
  const table = tableOf(curve, setting.cut);
  const metrics = {};
  for (const metric of data.metrics) {
    metrics[metric.name] = measured(data, metric, table, setting, curve.weighted);
  }
  return {
    table, metrics, people: ofPeople(table, setting), benefit: benefits(table, setting),
    rates: ratesOf(table, curve.weighted),
  };
}

/** How many of the cuts shown lie at or above a threshold: the rule it stands for. */
function cutAt(curve, threshold) {
  let [low, high] = [0, curve.at.length - 1]; // thresholds fall; the first is out of reach
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (curve.at[middle] >= threshold) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Curves as the page holds them: counts as steps become counts. */
function unpacked(curve) {
  const summed = (steps) => {
    let sum = 0;
    return steps.map((step) => (sum += step));
  };
  const counts = curve.steps ? { tp: summed(curve.tp), fp: summed(curve.fp) } : {};
  const at = curve.thresholds.map((t) => (t === null ? Infinity : plainNumber(t)));
  return { ...curve, ...counts, at };
}

const plainNumber = (t) => (t === "-inf" ? -Infinity : t === "inf" ? Infinity : Number(t));
