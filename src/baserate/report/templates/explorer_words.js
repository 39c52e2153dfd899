// The words of the explorer: numbers and settings as sentences, links and commands. Pure functions
// of what explorer_numbers.js finds.

const PEOPLE = [1000, 10000, 100000]; // out of so many; the first is where a page starts

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

/** What the cut brings, beside doing the same with everyone: on these cases, and no advice. */
function worthText(setting, numbers) {
  const { cut, all } = numbers.benefit;
  if (Number.isNaN(cut + all)) return "";
  const told = `${written(cut)} by this cut, ${written(all)} by treating all, 0 by treating none`;
  return `Where ${priceText(setting.tau)}, net benefit on these cases is ${told}.`;
}

/** How far so many cases can be trusted. */
function trustText(curve, numbers) {
  const n = curve.positives + curve.negatives;
  const of = curve.weighted ? "cases (sums of weights)" : n === 1 ? "case" : "cases";
  const known = Object.entries(numbers.rates).filter(([, found]) => found);
  const told = known.map(([name, { value, low, high }]) =>
    `${name} ${written(value)} (${written(low)} to ${written(high)})`).join(", ");
  const rates = told ? ` ${told[0].toUpperCase()}${told.slice(1)}: 95% intervals by Wilson's formula; those of other tables, if by another, differ a little.` : "";
  const warning = " A cut that is chosen here because it looks best looks better than it is.";
  return `Counted on ${counted(n)} ${of}, ${counted(curve.positives)} of them positive.${rates}${warning}`;
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
  const threshold = Number.isNaN(number("cut")) ? data.curves[before.curve].at[before.cut] : number("cut");
  return {
    curve,
    cut: read("cut") === "none" ? 0 : exact > 0 ? exact : cutAt(known, threshold),
    baseRate: between0and1(number("base_rate")) ? number("base_rate") : null,
    tau: between0and1(number("tau")) ? number("tau") : before.tau,
    guess: data.guesses[read("guess")] ? read("guess") : before.guess,
    people: PEOPLE.includes(number("people")) ? number("people") : before.people,
  };
}

/** The command, or the call of Python, that gives the same numbers; "" if no threshold does. */
function commandText(data, setting) {
  const curve = data.curves[setting.curve];
  const at = setting.cut === 0 ? curve.above : curve.thresholds[setting.cut];
  if (at === null || at === "-inf" || at === "inf") return "";
  const names = data.metrics.map(({ name }) =>
    name === "net_benefit" ? `net_benefit(threshold=${setting.tau})` : name);
  if (!curve.command) {
    const leads = data.curves.find(({ classifier }) => classifier === curve.classifier) === curve;
    const parts = [
      "y_true", "score=y_score", `threshold=${at}`,
      leads ? "" : "groups=groups",
      curve.weighted ? "weight=weight" : "",
      data.positiveInCode && `positive=${data.positiveInCode}`,
      setting.baseRate === null ? "" : `base_rate=${setting.baseRate}`,
      `guess="${setting.guess}"`, `metrics=[${names.map((name) => `"${name}"`).join(", ")}]`,
    ];
    return `br.evaluate(${parts.filter(Boolean).join(", ")})`;
  }
  const rate = setting.baseRate === null ? "" : ` --base-rate ${setting.baseRate}`;
  const guess = setting.guess.replace("_", "-");
  return `${curve.command} --threshold=${at}${rate} --guess ${guess} --metrics '${names.join(",")}'`;
}
