/* What unfolds a part of the contents has no text: say whose part it is. */
for (const summary of document.querySelectorAll("li.has-children > details > summary")) {
  const link = summary.closest("li").querySelector("a");
  summary.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
}

/* A command is never broken after the hyphens of an option. */
for (const code of document.querySelectorAll(".highlight-sh pre, .highlight-bash pre")) {
  const walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walk.nextNode()) texts.push(walk.currentNode);
  for (const text of texts.filter((each) => each.data.includes("-"))) {
    text.replaceWith(...text.data.split(/(\s+)/).map(unbroken));
  }
}

function unbroken(word) {
  if (!word.includes("-")) return word;
  const span = document.createElement("span");
  span.style.whiteSpace = "nowrap";
  span.textContent = word;
  return span;
}
