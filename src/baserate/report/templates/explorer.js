"use strict";
// The explorer. Three parts, each of which knows only those above it:
//   mathematics  tables of counts, metrics, guesses, best cuts: pure functions of plain numbers
//   words        numbers and settings as sentences, links and commands
//   page         controls, tables and pictures of one <section data-explorer>
// Nothing is fetched, stored, or shared between two explorers of one document.
(() => {
  // ---------------------------------------------------------------- mathematics

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

  /** Every number of a setting. */
  function numbersOf(data, setting) {
    const curve = data.curves[setting.curve];
    const table = tableOf(curve, setting.cut);
    const metrics = {};
    for (const metric of data.metrics) {
      metrics[metric.name] = measured(data, metric, table, setting, curve.weighted);
    }
    return { table, metrics, people: ofPeople(table, setting), benefit: benefits(table, setting) };
  }

  /** How many of the cuts shown lie at or above a threshold: the rule it stands for. */
  const cutAt = (curve, threshold) =>
    curve.at.reduce((count, at, cut) => count + (cut > 0 && at >= threshold ? 1 : 0), 0);

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

  // ---------------------------------------------------------------- words

  const grouped = (n) => Math.round(n).toLocaleString("en-US");
  const plural = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;

  /** A value: three decimals up to 10, fewer beyond, one digit of what is smaller. */
  function written(x) {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "undefined" : x > 0 ? "∞" : "-∞";
    const size = Math.abs(x);
    if (size > 0 && size < 0.0005) return String(Number(x.toPrecision(1)));
    if (size > 1000) return grouped(x);
    return x.toFixed(size <= 10 ? 3 : size < 100 ? 2 : 1).replace(/^-(0\.0+)$/, "$1");
  }

  const signed = (x) => (x > 0 ? "+" : "") + written(x);

  function counted(n) {
    return Number.isInteger(n) ? grouped(n) : String(Number(n.toPrecision(4)));
  }

  /** A cut as a sentence says it. */
  function cutText(curve, cut) {
    const threshold = curve.thresholds[cut];
    return threshold === null ? "above every score" : String(threshold);
  }

  /** What a threshold probability says about the price of errors. */
  function priceText(tau) {
    const falseAlarms = (1 - tau) / tau;
    const brief = (x) => String(Number(x.toPrecision(3)));
    if (Math.abs(falseAlarms - 1) < 1e-9) return "a miss costs as much as a false alarm";
    return falseAlarms > 1
      ? `a miss costs as much as ${brief(falseAlarms)} false alarms`
      : `a false alarm costs as much as ${brief(1 / falseAlarms)} misses`;
  }

  /** The answer first: what becomes of so many people. */
  function answerText(data, setting, numbers) {
    const { people, table } = numbers;
    if (!people) return `Undefined: ${emptyClass(table)}, so no other base rate can be put in.`;
    const alarms = people.tp + people.fp;
    const ill = people.tp + people.fn;
    const right = alarms ? `; ${grouped(people.tp)} of them ${people.tp === 1 ? "is" : "are"} right` : "";
    const missed = ill
      ? ` ${grouped(people.fn)} of ${plural(ill, "positive is", "positives are")} missed.`
      : setting.baseRate === null && table.tp + table.fn === 0
        ? " There are no positives."
        : ` Less than one of them is positive.`;
    const of = `Of ${grouped(setting.people)} ${data.people}`;
    return `${of}, ${grouped(alarms)} get${alarms === 1 ? "s" : ""} an alarm${right}.${missed}`;
  }

  const emptyClass = (t) => (t.tp + t.fn === 0 ? "no positives" : "no negatives");

  /** What the cut is worth, beside doing the same with everyone. */
  function worthText(setting, numbers) {
    const { cut, all, none } = numbers.benefit;
    if (Number.isNaN(cut + all)) return "";
    const ranked = [[cut, "this cut"], [all, "treating all"], [none, "treating none"]];
    const best = ranked.reduce((a, b) => (b[0] > a[0] + SAME ? b : a));
    const told = `${written(cut)} by this cut, ${written(all)} by treating all, 0 by treating none`;
    return `Where ${priceText(setting.tau)}, net benefit is ${told}: ${best[1]} is worth most.`;
  }

  const nameOf = (curve) => [curve.classifier, curve.group].filter(Boolean).join(", ");
  const ownRate = (curve) => curve.positives / (curve.positives + curve.negatives);
  const rateOf = (curve, setting) => (setting.baseRate === null ? ownRate(curve) : setting.baseRate);

  function settingText(data, setting) {
    const curve = data.curves[setting.curve];
    const rate = setting.baseRate === null
      ? `base rate ${written(ownRate(curve))}, that of these cases`
      : `base rate ${setting.baseRate} (these cases: ${written(ownRate(curve))})`;
    const cut = setting.cut === 0
      ? "nothing called positive"
      : `called "${data.positive}" if the score is ${cutText(curve, setting.cut)} or more`;
    return `${nameOf(curve) || "All cases"}: ${cut}; ${rate}; ${priceText(setting.tau)} (τ = ${setting.tau}).`;
  }

  /** The setting as a part of a link, and back; whatever cannot be read stays as it was. */
  function toQuery(data, setting, prefix) {
    const cut = data.curves[setting.curve].thresholds[setting.cut];
    const pairs = {
      curve: setting.curve, cut: cut === null ? "none" : cut, base_rate: setting.baseRate,
      tau: setting.tau, guess: setting.guess, people: setting.people,
    };
    return Object.entries(pairs)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${prefix}${name}=${encodeURIComponent(value)}`)
      .join("&");
  }

  const between0and1 = (x) => x > 0 && x < 1;

  function fromQuery(data, query, prefix, before) {
    const given = new URLSearchParams(query);
    const read = (name) => given.get(prefix + name);
    const number = (name) => (read(name) === null || read(name) === "" ? NaN : Number(read(name)));
    const curve = data.curves[number("curve")] ? number("curve") : before.curve;
    const known = data.curves[curve];
    const exact = known.thresholds.findIndex((t) => String(t) === read("cut"));
    const typed = Number.isNaN(number("cut")) ? Math.min(before.cut, known.at.length - 1) : cutAt(known, number("cut"));
    return {
      curve,
      cut: read("cut") === "none" ? 0 : exact > 0 ? exact : typed,
      baseRate: between0and1(number("base_rate")) ? number("base_rate") : null,
      tau: between0and1(number("tau")) ? number("tau") : before.tau,
      guess: data.guesses[read("guess")] ? read("guess") : before.guess,
      people: PEOPLE.includes(number("people")) ? number("people") : before.people,
    };
  }

  const PEOPLE = [1000, 10000, 100000];

  /** The command, or the call of Python, that gives the same numbers; "" if no threshold does. */
  function commandText(data, setting) {
    const curve = data.curves[setting.curve];
    const at = setting.cut === 0 ? curve.above : curve.thresholds[setting.cut];
    if (at === null || at === "-inf" || at === "inf") return "";
    const names = data.metrics.map(({ name }) =>
      name === "net_benefit" ? `net_benefit(threshold=${setting.tau})` : name);
    if (!curve.command) {
      const rate = setting.baseRate === null ? "" : `, base_rate=${setting.baseRate}`;
      const metrics = names.map((name) => `"${name}"`).join(", ");
      return `br.evaluate(y_true, score=y_score, threshold=${at}${rate}, guess="${setting.guess}", metrics=[${metrics}])`;
    }
    const rate = setting.baseRate === null ? "" : ` --base-rate ${setting.baseRate}`;
    const guess = setting.guess.replace("_", "-");
    return `${curve.command} --threshold=${at}${rate} --guess ${guess} --metrics '${names.join(",")}'`;
  }

  // ---------------------------------------------------------------- pictures

  const SVG = "http://www.w3.org/2000/svg";
  const WIDE = 340;
  const HIGH = 250;
  const EDGE = { left: 50, right: 12, top: 10, bottom: 40 };

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
    const frame = { x: EDGE.left, y: EDGE.top, width: wide, height: high };
    const inside = element("svg", { ...frame, class: "inside" }); // it clips what lies beyond
    const above = element("g", { transform: `translate(${EDGE.left} ${EDGE.top})` });
    for (const mark of marks) MARKS[mark.kind](mark, x, y, { wide, high, inside, above });
    svg.replaceChildren(...axisParts(axes, x, y, wide, high), inside, above);
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
    rule: ({ at, text }, x, y, { inside, high, wide }) => {
      const place = x(at);
      inside.append(element("line", { x1: place, x2: place, y1: 0, y2: high, class: "rule" }));
      if (!text) return;
      const left = place > wide * 0.7;
      inside.append(element("text", { x: place + (left ? -4 : 4), y: 12, "text-anchor": left ? "end" : "start" }, text));
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
    if (Number.isNaN(tableAt(here, setting.baseRate).tp)) return drawNothing(svg, `undefined: ${emptyClass(here)}`);
    const end = NICE.find((x) => x >= Math.min(1, Math.max(1.5 * setting.tau, 2 * rate)));
    const taus = Array.from({ length: 101 }, (_, i) => Math.min(0.999, (end * i) / 100));
    const worth = (tp, fp, tau) => (rate && rate * tp) - (rate < 1 && (1 - rate) * fp * (tau / (1 - tau)));
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
    const top = Math.max(rate, 0.001) * 1.1;
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
    if (between0and1(curve.at[setting.cut])) marks.push({ kind: "rule", at: curve.at[setting.cut], text: "cut" });
    const said = bins.mean.map((mean, i) => `${written(mean)}: ${written(at(bins.share[i]))}`).join(", ");
    const axes = { x: shareAxis("score, read as a probability"), y: shareAxis("share of positives") };
    return draw(svg, axes, marks, `Calibration, mean score and share of positives in each bin: ${said}.`);
  }

  function drawScores(svg, data, setting) {
    const curve = data.curves[setting.curve];
    const bars = curve.histogram;
    if (!bars) return drawNothing(svg, "undefined: no finite score");
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
    const left = bars.low + 0.02 * (bars.high - bars.low);
    const none = (n, what) => (n ? what : `${what}: none`);
    marks.push({ kind: "text", at: [left, top * 0.9], text: none(curve.positives, "positives, above") });
    marks.push({ kind: "text", at: [left, -top * 0.97], text: none(curve.negatives, "negatives, below") });
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

  // ---------------------------------------------------------------- page

  const QUIET = 700; // milliseconds without a change before a screen reader hears the answer
  const WIDEST = 6.9; // log-odds of 0.999: where the sliders of shares end

  const shareOf = (logit) => Number((1 / (1 + Math.exp(-logit))).toPrecision(3));
  const logitOf = (share) => Math.max(-WIDEST, Math.min(WIDEST, Math.log(share / (1 - share))));

  /** Bring one explorer to life. */
  function start(root, index) {
    const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    data.curves = data.curves.map(unpacked);
    const control = (name) => root.querySelector(`[data-control='${name}']`);
    const out = (name) => root.querySelector(`[data-out='${name}']`);
    const picture = (name) => root.querySelector(`[data-picture='${name}']`);
    const link = `#explorer${index || ""}?`;
    const first = data.curves[0];
    const initial = {
      curve: 0,
      cut: data.start.threshold === null ? Math.floor(first.at.length / 2) : cutAt(first, data.start.threshold),
      baseRate: data.start.base_rate,
      tau: data.start.tau,
      guess: data.start.guess,
      people: PEOPLE[0],
    };
    let setting = initial;
    let pinned = null;
    let timer = 0;

    const curveNow = () => data.curves[setting.curve];

    function change(changes, quietly) {
      setting = { ...setting, ...changes };
      redraw();
      clearTimeout(timer);
      if (!quietly) timer = setTimeout(() => say(out("answer").textContent), QUIET);
    }

    const say = (text) => (out("status").textContent = text);

    /** Another curve: the same threshold, as near as its cuts allow. */
    function choose(curve) {
      const before = curveNow().at[setting.cut];
      change({ curve, cut: setting.cut === 0 ? 0 : cutAt(data.curves[curve], before) });
    }

    // -- what is shown

    function redraw() {
      const numbers = numbersOf(data, setting);
      showControls();
      out("answer").textContent = answerText(data, setting, numbers);
      out("worth").textContent = worthText(setting, numbers);
      out("setting").textContent = settingText(data, setting);
      showPeople(numbers);
      showMetrics(numbers);
      showDifference(numbers);
      showHints();
      drawRoc(picture("roc"), data, setting, pinned);
      drawBenefit(picture("benefit"), data, setting);
      drawCalibration(picture("calibration"), data, setting);
      drawScores(picture("scores"), data, setting);
      out("command").value = commandText(data, setting);
      out("noCommand").hidden = commandText(data, setting) !== "";
    }

    function showControls() {
      const curve = curveNow();
      const last = curve.at.length - 1;
      control("classifier").value = curve.classifier;
      fillGroups(curve.classifier);
      control("group").value = String(setting.curve);
      const cut = control("cut");
      cut.max = String(last);
      cut.value = String(last - setting.cut); // to the right: a higher threshold, fewer alarms
      cut.setAttribute("aria-valuetext", cutText(curve, setting.cut));
      control("cutText").value = setting.cut === 0 ? "none" : cutText(curve, setting.cut);
      const rate = rateOf(curve, setting);
      control("baseRate").value = String(logitOf(rate));
      control("baseRate").setAttribute("aria-valuetext", written(rate));
      control("baseRateText").value = setting.baseRate === null ? Number(rate.toPrecision(4)) : setting.baseRate;
      control("tau").value = String(logitOf(setting.tau));
      control("tau").setAttribute("aria-valuetext", `${setting.tau}: ${priceText(setting.tau)}`);
      control("tauText").value = setting.tau;
      control("guess").value = setting.guess;
      control("people").value = String(setting.people);
      control("ownRate").disabled = setting.baseRate === null;
      control("unpin").hidden = control("swap").hidden = pinned === null;
      control("pin").textContent = pinned ? "Pin this as A instead" : "Pin this as A";
    }

    function fillGroups(classifier) {
      const menu = control("group");
      if (menu.dataset.of === classifier) return;
      menu.dataset.of = classifier;
      const entries = data.curves.map((curve, at) => [curve, at]).filter(([curve]) => curve.classifier === classifier);
      menu.replaceChildren(...entries.map(([curve, at]) => new Option(`${curve.group || "all cases"} (${counted(curve.positives + curve.negatives)})`, String(at))));
    }

    function showHints() {
      const curve = curveNow();
      const n = curve.positives + curve.negatives;
      const few = curve.at.length < curve.cuts;
      const best = curve.corners ? "the corners of the curve, where the best ones lie, and others at even distances" : "at even distances along the curve";
      out("cutHint").textContent = few ? `${grouped(curve.at.length)} of ${grouped(curve.cuts)} cuts: ${best}` : `${grouped(curve.cuts)} cuts`;
      out("rateHint").textContent = setting.baseRate === null ? "that of these cases" : `these cases: ${written(ownRate(curve))}`;
      out("tauHint").textContent = priceText(setting.tau);
      out("cases").textContent = `Counted on ${counted(n)} ${curve.weighted ? "(sum of weights)" : n === 1 ? "case" : "cases"}, ${counted(curve.positives)} of them positive ("${data.positive}"). Values have the uncertainty of so few or so many: intervals are in the tables of the report.`;
    }

    function showPeople(numbers) {
      const { people, table } = numbers;
      const shares = people && setting.people;
      for (const cell of ["tp", "fn", "fp", "tn"]) {
        const at = out(cell);
        at.textContent = people ? grouped(people[cell]) : `undefined: ${emptyClass(table)}`;
        const within = cell === "tp" || cell === "fn" ? ["tp", "fn"] : ["fp", "tn"];
        const row = shares ? people[within[0]] + people[within[1]] : 0;
        at.parentElement.style.setProperty("--share", String(row ? people[cell] / row : 0));
      }
      const sums = { positives: ["tp", "fn"], negatives: ["fp", "tn"], alarms: ["tp", "fp"], quiet: ["fn", "tn"] };
      for (const [name, [a, b]] of Object.entries(sums)) out(name).textContent = people ? grouped(people[a] + people[b]) : "";
      out("everyone").textContent = people ? grouped(setting.people) : "";
    }

    const cellOf = (text, note) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      if (note) cell.append(noteOf(note));
      return cell;
    };

    const noteOf = (text) => {
      const note = document.createElement("span");
      note.className = "small";
      note.textContent = text;
      return note;
    };

    function rowOf(label, cells) {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = label;
      row.append(head, ...cells);
      return row;
    }

    const orDash = (x, note) => cellOf(Number.isNaN(x) ? "–" : written(x), Number.isNaN(x) ? note : "");

    function showMetrics(numbers) {
      const rows = data.metrics.map((metric) => {
        const found = numbers.metrics[metric.name];
        const value = Number.isNaN(found.value) ? cellOf("undefined", found.reason) : cellOf(written(found.value));
        return rowOf(metric.label, [
          value, orDash(found.chance.same_alarms), orDash(found.chance.dutch_draw),
          orDash(found.skill, Number.isNaN(found.value) ? "" : found.noSkill),
        ]);
      });
      out("metrics").replaceChildren(...rows);
      out("guessNote").textContent = `Skill: 0 is ${data.guesses[setting.guess]}, 1 perfection.`;
    }

    function showDifference(numbers) {
      out("difference").hidden = pinned === null;
      if (pinned === null) return;
      const before = numbersOf(data, pinned);
      out("settingA").textContent = `A. ${settingText(data, pinned)}`;
      out("settingB").textContent = `B. ${settingText(data, setting)}`;
      const line = (label, a, b, write) =>
        rowOf(label, [cellOf(write(a)), cellOf(write(b)), cellOf(Number.isNaN(b - a) ? "–" : (write === written ? signed(b - a) : (b > a ? "+" : "") + write(b - a)))]);
      const whole = (x) => (Number.isNaN(x) ? "undefined" : grouped(x));
      const of = (people, add) => (people ? add(people) : NaN);
      const counts = [
        ["Alarms", (p) => p.tp + p.fp], ["Right alarms", (p) => p.tp], ["False alarms", (p) => p.fp], ["Missed", (p) => p.fn],
      ].map(([label, add]) => line(label, of(before.people, add), of(numbers.people, add), whole));
      const metrics = data.metrics.map(({ name, label }) => line(label, before.metrics[name].value, numbers.metrics[name].value, written));
      out("differences").replaceChildren(...counts, ...metrics);
    }

    // -- what one can do

    const on = (name, event, act) => control(name).addEventListener(event, act);

    /** Read a number that was typed in, or put back what stood there. */
    function typed(name, valid, use) {
      on(name, "change", () => {
        const text = control(name).value.trim().replace(",", ".");
        const x = text === "" ? NaN : Number(text);
        if (valid(x, text)) use(x, text);
        else {
          say("Not a number that fits; nothing has changed.");
          redraw();
        }
      });
    }

    function listen() {
      on("classifier", "change", () => {
        const group = curveNow().group;
        const of = (curve) => curve.classifier === control("classifier").value;
        const like = data.curves.findIndex((curve) => of(curve) && curve.group === group);
        choose(like < 0 ? data.curves.findIndex(of) : like);
      });
      on("group", "change", () => choose(Number(control("group").value)));
      on("cut", "input", () => change({ cut: curveNow().at.length - 1 - Number(control("cut").value) }));
      typed("cutText", (x, text) => !Number.isNaN(x) || text === "none", (x, text) =>
        change({ cut: text === "none" ? 0 : cutAt(curveNow(), x) }));
      on("baseRate", "input", () => change({ baseRate: shareOf(Number(control("baseRate").value)) }));
      typed("baseRateText", between0and1, (x) => change({ baseRate: x }));
      on("ownRate", "click", () => {
        change({ baseRate: null });
        control("baseRate").focus(); // the button has just been switched off
      });
      on("tau", "input", () => change({ tau: shareOf(Number(control("tau").value)) }));
      typed("tauText", between0and1, (x) => change({ tau: x }));
      on("guess", "change", () => change({ guess: control("guess").value }));
      on("people", "change", () => change({ people: Number(control("people").value) }));
      on("best", "click", toBest);
      on("pin", "click", () => { pinned = setting; change({}, true); say("Pinned as A."); });
      on("unpin", "click", () => { pinned = null; change({}, true); say("A is no longer pinned."); control("pin").focus(); });
      on("swap", "click", () => { [pinned, setting] = [setting, pinned]; change({}); });
      on("copyLink", "click", copyLink);
      on("copyCommand", "click", () => copy(out("command")));
      on("print", "click", () => window.print());
      on("reset", "click", () => { pinned = null; change(initial); });
      window.addEventListener("hashchange", restore);
    }

    function toBest() {
      const metric = data.metrics.find(({ name }) => name === control("bestBy").value);
      const cut = bestCut(curveNow(), metric, setting);
      if (cut < 0) say(`${metric.label} is undefined at every cut: ${undefinedReason(metric, tableOf(curveNow(), 0), setting) || "no cut has a value"}.`);
      else change({ cut });
    }

    const fragment = () => link + toQuery(data, setting, "") + (pinned ? `&${toQuery(data, pinned, "a.")}` : "");

    function copyLink() {
      history.replaceState(null, "", fragment());
      out("link").value = location.href;
      copy(out("link"));
    }

    function copy(field) {
      field.select();
      const done = () => say("Copied.");
      const failed = () => say(document.execCommand("copy") ? "Copied." : "Selected: copy it by hand.");
      if (navigator.clipboard) navigator.clipboard.writeText(field.value).then(done, failed);
      else failed();
    }

    function restore() {
      if (!location.hash.startsWith(link)) return;
      const query = location.hash.slice(link.length);
      setting = fromQuery(data, query, "", initial);
      pinned = new URLSearchParams(query).has("a.curve") ? fromQuery(data, query, "a.", initial) : null;
      redraw();
    }

    function fill() {
      const classifiers = [...new Set(data.curves.map((curve) => curve.classifier))];
      control("classifier").replaceChildren(...classifiers.map((name) => new Option(name || "the score", name)));
      control("classifier").closest(".field").hidden = classifiers.length < 2;
      control("group").closest(".field").hidden = data.curves.length <= classifiers.length;
      control("guess").replaceChildren(...Object.entries(data.guesses).map(([name, label]) => new Option(label, name)));
      control("people").replaceChildren(...PEOPLE.map((n) => new Option(grouped(n), String(n))));
      const chosen = data.metrics.filter(({ name }) => name !== "recall" && name !== "specificity"); // best at the ends
      control("bestBy").replaceChildren(...chosen.map(({ name, label }) => new Option(label, name)));
      out("leftOut").textContent = data.leftOut ? `${plural(data.leftOut, "smaller group is", "smaller groups are")} left to the JSON report.` : "";
      const linkable = location.protocol !== "about:"; // a frame of a notebook has no address
      control("copyLink").hidden = out("link").hidden = control("print").hidden = !linkable;
    }

    fill();
    listen();
    root.querySelector("[data-off]").hidden = true;
    root.querySelector("[data-on]").hidden = false;
    redraw();
    restore();
    root.explorer = {
      data, numbers: (of) => numbersOf(data, of), bestCut: (name, of) =>
        bestCut(data.curves[of.curve], data.metrics.find((metric) => metric.name === name), of),
      command: (of) => commandText(data, of), setting: () => setting, pinned: () => pinned,
      show: (changes) => change(changes, true), redraw, fragment,
    };
  }

  document.querySelectorAll("[data-explorer]").forEach(start);
})();
