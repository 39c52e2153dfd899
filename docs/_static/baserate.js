/* What unfolds a part of the contents has no text: say whose part it is. */
for (const summary of document.querySelectorAll("li.has-children > details > summary")) {
  const link = summary.closest("li").querySelector("a");
  summary.setAttribute("aria-label", `Pages of ${link.textContent.trim()}`);
}
