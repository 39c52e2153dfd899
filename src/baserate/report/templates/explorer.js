// The page of the explorer: controls, tables and pictures of one <section data-explorer>. Nothing is
// fetched or stored, and two explorers of one document share nothing. Stands last of four files,
// which Python joins: explorer_numbers.js, explorer_words.js, explorer_pictures.js.

const PARTS = [
  ["Alarms", (people) => people.tp + people.fp],
  ["Right alarms", (people) => people.tp],
  ["False alarms", (people) => people.fp],
  ["Missed", (people) => people.fn],
];
const QUIET = 700; // milliseconds without a change before a screen reader hears the answer
const WIDEST = 6.9; // log-odds of 0.999: where the sliders of shares end

const shareOf = (logit) => Number((1 / (1 + Math.exp(-logit))).toPrecision(3));
const logitOf = (share) => Math.max(-WIDEST, Math.min(WIDEST, Math.log(share / (1 - share))));

/** Bring one explorer to life. */
function start(root, index) {
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  data.curves = data.curves.map(unpacked);
  const byName = (kind) => {
    const found = [...root.querySelectorAll(`[data-${kind}]`)];
    const named = new Map(found.map((node) => [node.dataset[kind], node]));
    return (name) => named.get(name);
  };
  const [control, out, picture] = ["control", "out", "picture"].map(byName);
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
    showHints(numbers);
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

  function showHints(numbers) {
    const curve = curveNow();
    const best = curve.corners ? "the best ones among them" : "evenly along the curve";
    out("cutHint").textContent = curve.at.length < curve.cuts
      ? `${grouped(curve.at.length)} of ${grouped(curve.cuts)} cuts, ${best}`
      : `${grouped(curve.cuts)} cuts`;
    out("rateHint").textContent = setting.baseRate === null ? "that of these cases" : `these cases: ${written(ownRate(curve))}`;
    out("tauHint").textContent = priceText(setting.tau);
    out("cases").textContent = trustText(curve, numbers);
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

  /** A cell of a table of results: what it says, and a small line below. */
  const cellOf = (text, note) => ({ text, note: note || "" });
  const orDash = (x, note) => (Number.isNaN(x) ? cellOf("–", note) : cellOf(written(x)));

  function showMetrics(numbers) {
    const rows = data.metrics.map((metric) => {
      const found = numbers.metrics[metric.name];
      const lacks = Number.isNaN(found.value);
      return [cellOf(metric.label), lacks ? cellOf("undefined", found.reason) : cellOf(written(found.value)),
        orDash(found.chance.same_alarms), orDash(found.chance.dutch_draw),
        orDash(found.skill, lacks ? "" : found.noSkill)];
    });
    showRows(out("metrics"), rows);
    out("guessNote").textContent = `Skill: 0 is ${data.guesses[setting.guess]}, 1 perfection.`;
  }

  function showDifference(numbers) {
    out("difference").hidden = pinned === null;
    if (pinned === null) return;
    const before = numbersOf(data, pinned);
    out("settingA").textContent = `A. ${settingText(data, pinned)}`;
    out("settingB").textContent = `B. ${settingText(data, setting)}`;
    const line = (label, a, b, write) => {
      const step = Number.isNaN(b - a) ? "–" : (b > a ? "+" : "") + write(b - a);
      return [label, write(a), write(b), step].map((text) => cellOf(text));
    };
    const whole = (x) => (Number.isNaN(x) ? "undefined" : grouped(x));
    const counts = PARTS.map(([label, add]) => {
      const [a, b] = [before.people, numbers.people].map((people) => (people ? add(people) : NaN));
      return line(label, a, b, whole);
    });
    const metrics = data.metrics.map(({ name, label }) =>
      line(label, before.metrics[name].value, numbers.metrics[name].value, written));
    showRows(out("differences"), [...counts, ...metrics]);
  }

  /** Write rows into a table; cells that are there already only change their text. */
  function showRows(body, rows) {
    if (body.rows.length !== rows.length) body.replaceChildren(...rows.map(emptyRow));
    rows.forEach((cells, i) => cells.forEach((cell, j) => {
      const [text, note] = body.rows[i].cells[j].childNodes;
      if (text.data !== cell.text) text.data = cell.text;
      if (note.textContent !== cell.note) note.textContent = cell.note;
    }));
  }

  function emptyRow(cells) {
    const row = document.createElement("tr");
    cells.forEach((_, j) => {
      const cell = document.createElement(j ? "td" : "th");
      if (!j) cell.scope = "row";
      const note = document.createElement("span");
      note.className = "small";
      cell.append(document.createTextNode(""), note);
      row.append(cell);
    });
    return row;
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
    const chosen = data.metrics.filter(({ hasBestCut }) => hasBestCut).reverse(); // net benefit first
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
