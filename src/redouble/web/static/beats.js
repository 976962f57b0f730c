// Shows a change in the order in which people at a table see it: first the cards fly, then figures
// count, then the words say what happened and what it cost.
const FLIGHT = 360, // milliseconds that a swept card flies
  COUNTING = 600; // the longest that figures count: out of sight, animations stand still
const still =
  !document.startViewTransition || matchMedia("(prefers-reduced-motion: reduce)").matches;
const parse = (text) => {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content;
};
const same = (one, kind) => {
  const key = CSS.escape(one.dataset[kind]);
  return document.querySelector(`[data-${kind}="${key}"]`);
};
// Leaves in a new drawing what the page shows now; whether that is anything else.
const keep = (drawing, kind) => {
  let changed = false;
  for (const one of drawing.querySelectorAll(`[data-${kind}]`)) {
    const old = same(one, kind);
    changed ||= !old?.isEqualNode(one);
    if (old) one.replaceWith(old.cloneNode(true));
    else one.remove();
  }
  return changed;
};
// A headline goes before the next cards fly, and comes after them. So does what marks a card.
const keepWords = (drawing) => {
  const board = drawing.firstElementChild,
    { moment } = board.dataset,
    had = document.querySelector("[data-moment]"),
    prompt = drawing.querySelector("#prompt");
  if (had && !moment && prompt) {
    delete prompt.dataset.told;
    prompt.className = "prompt";
    prompt.replaceChildren();
    drawing.querySelector(".go-on")?.remove();
  }
  let changed = keep(drawing, "told");
  if (moment && had) board.dataset.moment = had.dataset.moment;
  else if (moment) delete board.dataset.moment;
  changed ||= Boolean(moment);
  for (const one of drawing.querySelectorAll("[data-marks]")) {
    const { marks } = one.dataset,
      card = document.getElementById(one.querySelector("[id]")?.id),
      marked = card?.closest("[data-marks]")?.classList.contains(marks) ?? false;
    changed ||= marked !== one.classList.contains(marks);
    one.classList.toggle(marks, marked);
  }
  return changed;
};
const named = (root) => [...root.querySelectorAll("[style*=view-transition-name]")];
// Nor does a player see what they are asked next, before the cards of others lie. Whose turn it
// was stays marked, their own included.
const ASKED = ["mine", "title", "icon", "only"];
const cards = (root) =>
  named(root)
    .map((one) => one.id)
    .sort()
    .join();
const places = (root) =>
  named(root)
    .map((one) => [one.id, one.parentElement.className, one.closest("[data-seat]")?.dataset.seat])
    .join();
const keepAsked = (drawing) => {
  const board = drawing.firstElementChild,
    shown = document.getElementById("board");
  if (!shown) return false;
  const before = board.cloneNode(true);
  for (const one of drawing.querySelectorAll("[data-seat]")) {
    const old = shown.querySelector(`[data-seat="${one.dataset.seat}"]`);
    one.classList.toggle("turn", Boolean(old?.classList.contains("turn")));
  }
  if (shown.dataset.mine === "1") return !board.isEqualNode(before);
  for (const key of ASKED)
    if (key in shown.dataset) board.dataset[key] = shown.dataset[key];
    else delete board.dataset[key];
  for (const one of drawing.querySelectorAll("#felt :is([form=play], .dim, label[id])")) {
    for (const key of ["form", "for"]) one.removeAttribute(key);
    one.classList.remove("dim");
    if (!one.id) one.remove();
  }
  for (const part of [".mine", ".tools"]) {
    const [one, old] = [drawing, shown].map((root) => root.querySelector(part));
    if (one && old && cards(one) === cards(old)) one.replaceWith(old.cloneNode(true));
  }
  return !board.isEqualNode(before);
};
// A drawing in which what people are told and asked is as the page has it, and whether that will
// change. Who was asked has moved, so the page asks nobody meanwhile.
const untold = (text) => {
  const drawing = parse(text),
    next = drawing.querySelector("#prompt")?.cloneNode(true),
    asked = keepAsked(drawing),
    words = keepWords(drawing) || asked,
    prompt = drawing.querySelector("#prompt");
  if (next && prompt && !prompt.isEqualNode(next)) prompt.classList.add("acted");
  return { drawing, words };
};
const look = (one) => `${one.className.split(" ")[1]} ${one.dataset.face}`;
// The cards of a pile that is swept off become the cards that appear elsewhere: those that look
// the same, then those face down. The rest goes to where such cards lie.
const sweep = (drawing) => {
  if (!document.querySelector("[data-moment]")) return [];
  const ids = new Set(named(drawing).map((one) => one.id)),
    come = named(drawing).filter((one) => !document.getElementById(one.id)),
    rest = [];
  for (const one of document.querySelectorAll("[data-sweeps] [id]")) {
    if (ids.has(one.id)) continue;
    let at = come.findIndex((it) => it.dataset.face && look(it) === look(one));
    if (at < 0) at = come.findIndex((it) => !it.dataset.face);
    if (at < 0) rest.push(one);
    else one.style.viewTransitionName = come.splice(at, 1)[0].id;
  }
  return rest.map((one) => [one.id, one.getBoundingClientRect()]);
};
const spin = (swept) => {
  const aim = document.querySelector("[data-swept]")?.getBoundingClientRect();
  if (!aim) return;
  for (const [number, [name, box]] of swept.entries()) {
    const to = `translate(${aim.x + (aim.width - box.width) / 2}px, ${aim.y + (aim.height - box.height) / 2}px)`;
    const pseudoElement = `::view-transition-group(${name})`,
      small = Math.min(1, aim.width / box.width);
    document.documentElement.animate(
      [
        { transform: `translate(${box.x}px, ${box.y}px)` },
        { transform: `${to} rotate(1turn) scale(${small})` },
      ],
      { duration: FLIGHT, delay: 15 * number, fill: "both", easing: "ease-in", pseudoElement },
    );
  }
};
const fly = async (drawing, put) => {
  const swept = sweep(drawing);
  const transition = document.startViewTransition(() => put(drawing));
  await transition.ready.then(() => spin(swept)).catch(() => {}); // a page out of sight shows none
  await transition.finished;
};
const haveCounted = () => {
  const running = [...document.querySelectorAll("[data-counted]")]
    .flatMap((one) => one.getAnimations({ subtree: true }))
    .filter((one) => one.effect.getComputedTiming().endTime <= COUNTING);
  return Promise.race([
    Promise.allSettled(running.map((one) => one.finished)),
    new Promise((done) => setTimeout(done, COUNTING)),
  ]);
};

// Cards that follow each other faster than they fly glide, several at a time.
const glide = async (drawing, put) => {
  const were = new Map(named(document).map((one) => [one.id, one.getBoundingClientRect()]));
  await put(drawing);
  for (const one of named(document)) {
    const was = were.get(one.id),
      now = one.getBoundingClientRect();
    if (!was || (was.x === now.x && was.y === now.y)) continue;
    const translate = `${was.x - now.x}px ${was.y - now.y}px`;
    one.animate([{ translate, zIndex: 5 }, { zIndex: 5 }], { duration: 180, easing: "ease-out" });
  }
};

// ``swap`` is how htmx puts a drawing in the place of ``target``, ``way`` how cards get to theirs:
// they ``fly``, ``glide``, or are there at once.
const show = async (text, target, swap, way = "fly") => {
  const put = (drawing) => {
    const holder = document.createElement("div");
    holder.append(drawing);
    return htmx.swap({ text: holder.innerHTML, sourceElement: target, target, swap });
  };
  if (still || !way || document.hidden) return put(parse(text));
  if (way === "glide") return glide(parse(text), put);
  const { drawing: flown, words } = untold(text),
    figures = keep(flown, "counted");
  const flies = places(flown) !== places(document);
  if (flies) await fly(flown, put);
  if (figures) {
    await put(untold(text).drawing);
    await haveCounted();
  }
  if (words || !flies) await put(parse(text));
};
export const beats = { show };
