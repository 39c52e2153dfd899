// The pictures of the explorer: each is drawn into an <svg> of the page from a setting.

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 340;
const HIGH = 250;
const EDGE = { left: 58, right: 12, top: 10, bottom: 40 };

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A picture: axes, and marks in the units of the axes. */
function draw(svg, axes, marks, label) {
  const wide = WIDE - EDGE.left - EDGE.right;
  const high = HIGH - EDGE.top - EDGE.bottom;
  const [x0, x1] = axes.x.ends;
  const [y0, y1] = axes.y.ends;
  const x = (value) => ((value - x0) / (x1 - x0)) * wide;
  const y = (value) => high - ((value - y0) / (y1 - y0)) * high;
  const inside = element("svg", { x: EDGE.left, y: EDGE.top, width: wide, height: high }); // clips
  const above = element("g", { transform: `translate(${EDGE.left} ${EDGE.top})` });
  for (const mark of marks) MARKS[mark.kind](mark, x, y, { wide, high, inside, above });
  const kind = JSON.stringify(axes);
  if (svg.dataset.axes !== kind) { // to lay out text is what takes longest
    svg.replaceChildren(element("g", {}), inside, above);
    svg.firstChild.append(...axisParts(axes, x, y, wide, high));
    svg.dataset.axes = kind;
  } else {
    svg.children[1].replaceWith(inside);
    svg.children[2].replaceWith(above);
  }
  svg.setAttribute("aria-label", label);
}

function axisParts(axes, x, y, wide, high) {
  const parts = [element("rect", { x: EDGE.left, y: EDGE.top, width: wide, height: high, class: "frame" })];
  for (const tick of axes.x.ticks) {
    const at = EDGE.left + x(tick);
    parts.push(element("line", { x1: at, x2: at, y1: EDGE.top + high, y2: EDGE.top + high + 4, class: "tick" }));
    parts.push(element("text", { x: at, y: EDGE.top + high + 15, "text-anchor": "middle" }, brief(tick)));
  }
  for (const tick of axes.y.ticks) {
    const at = EDGE.top + y(tick);
    parts.push(element("line", { x1: EDGE.left - 4, x2: EDGE.left, y1: at, y2: at, class: "tick" }));
    parts.push(element("text", { x: EDGE.left - 7, y: at + 3.5, "text-anchor": "end" }, String(Number((axes.y.unsigned ? Math.abs(tick) : tick).toPrecision(2)))));
  }
  const middle = EDGE.top + high / 2;
  parts.push(element("text", { x: EDGE.left + wide / 2, y: HIGH - 5, "text-anchor": "middle" }, axes.x.label));
  parts.push(element("text", { x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})` }, axes.y.label));
  return parts;
}

const brief = (x) => String(Number(x.toPrecision(3)));
const to1 = (x) => Math.round(x * 10) / 10; // a tenth of a pixel is enough

const MARKS = {
  line: ({ points, look }, x, y, { inside }) => {
    const path = points.map(([a, b]) => `${to1(x(a))},${to1(y(b))}`).join(" ");
    inside.append(element("polyline", { points: path, class: look }));
  },
  bar: ({ from, to, low, high, look }, x, y, { inside }) => {
    const top = y(Math.max(low, high));
    inside.append(element("rect", {
      x: to1(x(from) + 0.5), y: to1(top), width: Math.max(0.5, to1(x(to) - x(from) - 1)),
      height: to1(y(Math.min(low, high)) - top), class: look,
    }));
  },
  rule: ({ at, text, down }, x, y, { inside, high, wide }) => {
    const place = x(at);
    inside.append(element("line", { x1: place, x2: place, y1: 0, y2: high, class: "rule" }));
    if (!text) return;
    const left = place > wide / 2;
    inside.append(element("text", { x: place + (left ? -4 : 4), y: down || 12, "text-anchor": left ? "end" : "start" }, text));
  },
  point: ({ at: [a, b], look, text, end }, x, y, { above, wide }) => {
    above.append(element("circle", { cx: x(a), cy: y(b), r: 5, class: look }));
    if (!text) return;
    const left = end || x(a) > wide * 0.75;
    above.append(element("text", { x: x(a) + (left ? -9 : 9), y: y(b) + 14, "text-anchor": left ? "end" : "start", class: "strong" }, text));
  },
  span: ({ at, low, high }, x, y, { inside }) => {
    inside.append(element("line", { x1: x(at), x2: x(at), y1: y(low), y2: y(high), class: "span" }));
  },
  text: ({ at: [a, b], text, end }, x, y, { above }) => {
    above.append(element("text", { x: x(a), y: y(b), "text-anchor": end ? "end" : "start" }, text));
  },
};

const SHARES = [0, 0.25, 0.5, 0.75, 1];
const shareAxis = (label) => ({ ends: [0, 1], ticks: SHARES, label });
const NOTHING = { x: { ends: [0, 1], ticks: [], label: "" }, y: { ends: [0, 1], ticks: [], label: "" } };

function drawNothing(svg, reason) {
  draw(svg, NOTHING, [{ kind: "text", at: [0.04, 0.5], text: reason }], reason);
}

const rates = (t) => [t.fp / (t.fp + t.tn), t.tp / (t.tp + t.fn)];

function drawRoc(svg, data, setting, pinned) {
  const curve = data.curves[setting.curve];
  const here = tableOf(curve, setting.cut);
  if (!(curve.positives > 0 && curve.negatives > 0)) return drawNothing(svg, `undefined: ${emptyClass(here)}`);
  const points = curve.tp.map((tp, cut) => [curve.fp[cut] / curve.negatives, tp / curve.positives]);
  const [fpr, recall] = rates(here);
  const marks = [
    { kind: "line", points: [[0, 0], [1, 1]], look: "chance" },
    { kind: "text", at: [0.62, 0.55], text: "chance" },
    { kind: "line", points, look: "curve" },
  ];
  const before = pinned && tableOf(data.curves[pinned.curve], pinned.cut);
  if (before && !rates(before).some(Number.isNaN)) {
    marks.push({ kind: "point", at: rates(before), look: "hollow", text: "A", end: true });
  }
  marks.push({ kind: "point", at: [fpr, recall], look: "dot", text: before ? "B" : "" });
  const label = `ROC curve. This cut: recall ${written(recall)}, false positive rate ${written(fpr)}.`;
  draw(svg, { x: shareAxis("false positive rate"), y: shareAxis("recall") }, marks, label);
}

const NICE = [0.05, 0.1, 0.2, 0.5, 1];

function drawBenefit(svg, data, setting) {
  const curve = data.curves[setting.curve];
  const here = tableOf(curve, setting.cut);
  const rate = rateOf(curve, setting);
  const [fpr, recall] = rates(here);
  if (!rate) return drawNothing(svg, "no positives: nothing can be gained");
  if (Number.isNaN(tableAt(here, setting.baseRate).tp)) return drawNothing(svg, `undefined: ${emptyClass(here)}`);
  const end = NICE.find((x) => x >= Math.min(1, Math.max(1.5 * setting.tau, 2 * rate)));
  const taus = Array.from({ length: 101 }, (_, i) => Math.min(0.999, (end * i) / 100));
  const worth = (tp, fp, tau) => rate * tp - (1 - rate) * fp * (tau / (1 - tau));
  const line = (look, at) => ({ kind: "line", look, points: taus.map((tau) => [tau, at(tau)]) });
  const marks = [line("none", () => 0), line("chance", (tau) => worth(1, 1, tau))];
  if (curve.calibration && curve.positives && curve.negatives) {
    marks.push(line("faint", (tau) => {
      const cut = cutAt(curve, tau);
      return worth(curve.tp[cut] / curve.positives, curve.fp[cut] / curve.negatives, tau);
    }));
  }
  marks.push(line("curve", (tau) => worth(recall || 0, fpr || 0, tau)));
  marks.push({ kind: "rule", at: setting.tau, text: "τ" });
  const now = benefits(here, setting);
  const top = rate * 1.1;
  if (now.cut > -0.3 * top) marks.push({ kind: "point", at: [setting.tau, now.cut], look: "dot" });
  const axes = {
    x: { ends: [0, end], ticks: SHARES.map((x) => x * end), label: "threshold probability τ" },
    y: { ends: [-0.3 * top, top], ticks: [0, rate / 2, rate], label: "net benefit" },
  };
  const label = `Net benefit at ${setting.tau}: ${written(now.cut)} by this cut, ${written(now.all)} by treating all, 0 by treating none.`;
  return draw(svg, axes, marks, label);
}

function drawCalibration(svg, data, setting) {
  const curve = data.curves[setting.curve];
  const bins = curve.calibration;
  if (!bins) return drawNothing(svg, "undefined: the scores are no probabilities");
  const at = (share) => shareAt(share, curve, setting.baseRate);
  if (bins.share.some((share) => Number.isNaN(at(share)))) {
    return drawNothing(svg, `undefined: ${emptyClass(tableOf(curve, setting.cut))}`);
  }
  const marks = [
    { kind: "line", points: [[0, 0], [1, 1]], look: "chance" },
    { kind: "text", at: [0.03, 0.92], text: "more positives than said" },
    { kind: "text", at: [0.97, 0.05], text: "fewer positives than said", end: true },
  ];
  bins.mean.forEach((mean, i) => {
    if (bins.low[i] !== null) marks.push({ kind: "span", at: mean, low: at(bins.low[i]), high: at(bins.high[i]) });
  });
  marks.push({ kind: "line", points: bins.mean.map((mean, i) => [mean, at(bins.share[i])]), look: "faint" });
  bins.mean.forEach((mean, i) => marks.push({ kind: "point", at: [mean, at(bins.share[i])], look: "small" }));
  if (between0and1(curve.at[setting.cut])) marks.push({ kind: "rule", at: curve.at[setting.cut], text: "cut", down: 34 });
  const said = bins.mean.map((mean, i) => `${written(mean)}: ${written(at(bins.share[i]))}`).join(", ");
  const axes = { x: shareAxis("score, read as a probability"), y: shareAxis("share of positives") };
  return draw(svg, axes, marks, `Calibration, mean score and share of positives in each bin: ${said}.`);
}

function drawScores(svg, data, setting) {
  const curve = data.curves[setting.curve];
  const bars = curve.histogram;
  if (!bars) return drawNothing(svg, "no finite range of scores to show");
  const share = (side, n) => side.map((count) => (n ? count / n : 0));
  const up = share(bars.positive, curve.positives);
  const down = share(bars.negative, curve.negatives);
  const top = Math.max(...up, ...down) * 1.15;
  const step = (bars.high - bars.low) / up.length;
  const marks = [];
  up.forEach((height, i) => {
    const sides = { from: bars.low + i * step, to: bars.low + (i + 1) * step };
    if (height) marks.push({ kind: "bar", ...sides, low: 0, high: height, look: "positive" });
    if (down[i]) marks.push({ kind: "bar", ...sides, low: -down[i], high: 0, look: "negative" });
  });
  marks.push({ kind: "line", points: [[bars.low, 0], [bars.high, 0]], look: "axis" });
  const right = bars.high - 0.02 * (bars.high - bars.low);
  const none = (n, what) => (n ? what : `${what}: none`);
  marks.push({ kind: "text", at: [right, top * 0.9], text: none(curve.positives, "positives, above"), end: true });
  marks.push({ kind: "text", at: [right, -top * 0.97], text: none(curve.negatives, "negatives, below"), end: true });
  const cut = curve.at[setting.cut];
  const where = Math.min(bars.high, Math.max(bars.low, cut));
  marks.push({ kind: "rule", at: where, text: cut > bars.high ? "cut above" : "alarm →" });
  const ticks = SHARES.map((part) => bars.low + part * (bars.high - bars.low));
  const axes = {
    x: { ends: [bars.low, bars.high], ticks, label: "score" },
    y: { ends: [-top, top], ticks: [-top / 1.15, 0, top / 1.15], label: "share of its class", unsigned: true },
  };
  draw(svg, axes, marks, `Distribution of scores by class, with the cut ${cutText(curve, setting.cut)}.`);
}
