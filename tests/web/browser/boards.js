// What is wrong with how a board of a table lies in its window. Loaded into a page by boards.py, with what may be how
// large: see there.

globalThis.faultsOf = (fingertip, lane, legible, figure, apart, smaller) => {
  const found = new Set(),
    page = document.documentElement;
  const felt = document.getElementById("felt"),
    board = document.getElementById("board");
  const ended = document.getElementById("ending")?.checkVisibility();
  const name = (one) =>
    one &&
    `${one.tagName} ${one.className} ${one.getAttribute("aria-label") ?? one.textContent}`
      .replace(/\s+/g, " ")
      .slice(0, 60);
  // Nothing changes while a board is measured: what is asked of an element is asked once.
  const once = (of) => {
    const known = new Map();
    return (one) => (known.has(one) ? known : known.set(one, of(one))).get(one);
  };
  const box = once((one) => one.getBoundingClientRect());
  const styled = once((one) => getComputedStyle(one));
  const up = function* (one) {
    for (; one && one !== felt; one = one.parentElement) yield one;
  };
  const spread = once(
    (one) =>
      one.offsetWidth !== 1 && (!one.parentElement || one === felt || spread(one.parentElement)),
  );
  const seen = once(
    (one) =>
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.matches(".skip") &&
      box(one).height > 0 &&
      (one === felt || spread(one)),
  );
  const shown = (selector, within = document) =>
    [...within.querySelectorAll(selector)].filter(seen);
  // What a list or a row scrolls to need not be in view.
  const LISTS =
    ".hint > p, .known, .scrolls, .since, .round-sheet ol, .window, .log, .choices, " +
    ".ending-sheet, .deck, .places > div";
  const scrolled = once(
    (all) => all.scrollHeight > all.clientHeight || all.scrollWidth > all.clientWidth,
  );
  const list = (one) => {
    const all = one.parentElement.closest(LISTS);
    return all && scrolled(all) ? all : null;
  };
  const inside = (a, b) =>
    a.left > b.left - 1 && a.top > b.top - 1 && a.right < b.right + 1 && a.bottom < b.bottom + 1;
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const meet = (a, b, least = 1.5) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > least &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > least;
  const hit = (x, y) => document.elementFromPoint(x, y);

  if (page.scrollHeight > page.clientHeight || page.scrollWidth > page.clientWidth)
    found.add("the page scrolls");
  if (felt.scrollHeight > felt.clientHeight + 1)
    found.add(`the felt scrolls by ${felt.scrollHeight - felt.clientHeight}`);
  const last = innerWidth > 900 && innerHeight > 500 ? "#log li:first-child" : ".ticker";
  const words =
    ".prompt, .guide, .hint, #go-on, .see-table, .next > *, .tools .btn, .banner, " +
    "#notice, #missed";
  const parts = ":is(.card, .dom, .seat, .backs i, .held i, .total, .lane)";
  for (const one of shown(`${words}, ${last}, #felt ${parts}`))
    if (!list(one) && !inside(box(one), view)) found.add(`cut off: ${name(one)}`);
  if (!shown(".prompt, .guide, .hint, .banner, #notice, #missed").length)
    found.add("nothing says what is asked");
  const playing = shown(".seat:not(:has(.state-out, .place))").length > 1;
  if (playing && board.dataset.over !== "1" && !shown(":is(.backs, .held) *").length)
    found.add("the others' cards are hidden");

  // Every name is whole, unless it is very long, and large enough to read.
  const long = (one) => parseInt(one.style.getPropertyValue("--letters")) > 12;
  for (const one of shown("*")) {
    const { textOverflow, webkitLineClamp, overflowX } = styled(one);
    const cut =
      (textOverflow === "ellipsis" && one.scrollWidth > one.clientWidth) ||
      (webkitLineClamp !== "none" && one.scrollHeight > one.clientHeight + 5);
    if (cut && !long(one) && overflowX !== "visible") found.add(`shortened: ${name(one)}`);
  }
  const names = ended ? ".standings .who" : ".seat:not(.me) .who, .round-sheet .who, .shown b";
  for (const one of ended ? [] : board.querySelectorAll(names)) {
    const size = parseFloat(styled(one).fontSize),
      seat = one.closest(".seat, li");
    if (!seen(one)) found.add(`no name: ${name(seat)}`);
    else if (size < legible) found.add(`${size} pixels high: ${name(one)}`);
    else if (one.scrollWidth > one.clientWidth + 1 && !long(one))
      found.add(`shortened: ${name(one)}`);
  }

  // Nothing covers what is to be read, nor one part of the table another.
  const read = ended
    ? ".result h2, .see-table, .next > *"
    : ".prompt :is(strong, small), " +
      ":is(.guide, .hint) p, .who, .dealer, .points b, .made, .won b, .caption, .chips, " +
      ".total strong, " +
      ".round-sheet :is(.rank, .total), .heading p, .see-table, .banner, #notice, .facts dd, " +
      ".seat .note, .held b, .needs, .order";
  for (const text of shown(read)) {
    const on = text.closest(".prompt, .guide, .hint, .heading, .caption, .facts") ?? text;
    const room = list(text) ? box(list(text)) : view;
    for (const line of text.getClientRects())
      for (const part of [0.1, 0.5, 0.9]) {
        const x = line.left + part * line.width,
          y = (line.top + line.bottom) / 2;
        const spot = { left: x, right: x, top: y, bottom: y };
        if (line.width < 4 || !inside(spot, room)) continue;
        const there = hit(x, y);
        if (!on.contains(there) && !there?.contains(text) && !there?.closest(".headline"))
          found.add(`covered: ${name(text)} by ${name(there)}`);
      }
  }
  const regions = shown(
    ".seats, .centre, .mine > *, .ticker, .tools, .side > .hint, .banner, " +
      "#notice, #missed, .see-table, .heading, .column > .seat, .lane",
  )
    .filter((one) => !ended || !felt.contains(one))
    .map((one) => {
      const { left, right, top, bottom } = box(one),
        edge = box(felt);
      return [
        one,
        felt.contains(one)
          ? { left, right, top: Math.max(top, edge.top), bottom: Math.min(bottom, edge.bottom) }
          : box(one),
      ];
    });
  const over = (one) => one.matches(".headline"); // it lies over the table for a moment
  for (const [one, a] of regions)
    for (const [other, b] of regions)
      if (
        one !== other &&
        !over(one) &&
        !over(other) &&
        !one.contains(other) &&
        !other.contains(one) &&
        meet(a, b)
      )
        found.add(`${name(one)} covers ${name(other)}`);
  for (const seat of ended ? [] : shown(".seat")) {
    const edge = box(seat);
    for (const { left, right } of shown(".backs i, .held i", seat).map(box))
      if (left < edge.left - 8 || right > edge.right + 8)
        found.add(`cards stick out of a plate: ${name(seat)}`);
    const things = shown(":scope > *, .piles > *", seat).filter(
      (one) => styled(one).position !== "absolute",
    );
    for (const one of things)
      for (const other of things)
        if (!one.contains(other) && !other.contains(one) && meet(box(one), box(other), 2.5))
          found.add(`${name(one)} covers ${name(other)} on a plate`);
  }

  // What is on a plate lies inside it, and its figures can be read and told apart.
  const texts = (within) => {
    const all = [],
      walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const range = new Range(),
        { data, parentElement: on } = walker.currentNode;
      range.selectNode(walker.currentNode);
      if (data.trim() && !long(on) && seen(on))
        for (const { left, right, top, bottom, width, height } of range.getClientRects())
          if (width)
            all.push([
              on,
              data,
              { left, right, height, top: top + height / 5, bottom: bottom - height / 5 },
            ]);
    }
    return all;
  };
  const shaped = (one, other) => {
    for (; !one.contains(other); one = one.parentElement) {
      const { backgroundColor, backgroundImage, borderTopWidth } = styled(one);
      if (
        backgroundColor !== "rgba(0, 0, 0, 0)" ||
        backgroundImage !== "none" ||
        borderTopWidth !== "0px"
      )
        return true;
    }
    return false;
  };
  for (const plate of ended ? [] : shown(".seat, .round-sheet li, .heading")) {
    const words = texts(plate),
      edge = box(plate),
      things = shown("*", plate)
        .filter((one) => !one.closest(".seats .backs, .held"))
        .map((one) => [one, "", box(one)]);
    for (const [one, , its] of plate.matches(".heading") ? [] : [...words, ...things])
      if (!inside(its, edge) && !list(one)) found.add(`sticks out of a plate: ${name(one)}`);
    const figures = words.filter(([, data]) => /[0-9]/.test(data));
    for (const [one, data, a] of figures) {
      const size = parseFloat(styled(one).fontSize);
      if (size < figure && !one.matches(".who"))
        found.add(`${size} pixels high: ${data} of ${name(plate)}`);
      for (const [other, more, b] of figures)
        if (
          one !== other &&
          more[0] !== "×" &&
          a.left <= b.left &&
          b.left < a.right + apart &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > a.height / 2 &&
          !shaped(one, other) &&
          !shaped(other, one)
        )
          found.add(`${data} and ${more} run together: ${name(plate)}`);
    }
  }

  for (const sheet of shown(".round-sheet")) {
    const rows = shown("li", sheet),
      go = box(document.getElementById("go-on"));
    if (shown(".heap", sheet).length < 4 * (rows.length + 1)) found.add("a column has no name");
    const { left, right, bottom } = box(sheet.querySelector("ol"));
    if (meet({ left, right, top: bottom, bottom: bottom + 4 }, go, 0))
      found.add("the last row touches Continue");
    if (box(rows.at(-1)).bottom > bottom + 1) found.add("a row of the sheet is cut off");
  }

  // What a step of the tutorial is about, and what a hint suggests, is framed all round.
  const framed = shown(".pointed, .hinted:not(.place)");
  if (felt.querySelector(".mine .hint") && !framed.length) found.add("nothing is framed");
  for (const one of framed) {
    const { outlineStyle, outlineWidth, outlineOffset, borderRadius } = styled(one);
    const its = box(one),
      out = parseFloat(outlineWidth) + parseFloat(outlineOffset);
    const frame = {
      left: its.left - out,
      top: its.top - out,
      right: its.right + out,
      bottom: its.bottom + out,
    };
    const style = one.matches(".pointed") ? "dashed" : "solid";
    if (outlineStyle !== style || Math.min(its.width, its.height) < 12)
      found.add(`no frame: ${name(one)} of ${its.width} by ${its.height}`);
    for (const it of up(one.parentElement))
      if (styled(it).overflow !== "visible" && !inside(frame, box(it)))
        found.add(`a frame is cut: ${name(one)} by ${name(it)}`);
    if (!inside(frame, view)) found.add(`a frame leaves the screen: ${name(one)}`);
    const x = (its.left + its.right) / 2,
      y = (its.top + its.bottom) / 2;
    const off = (from, to, at) => Math.max(from, Math.min(at, to)) - at;
    const near = ({ left, right, top, bottom }) =>
      Math.hypot(off(left, right, x), off(top, bottom, y)) < x - frame.left;
    const crosses = (line) => meet(frame, line) && (borderRadius !== "50%" || near(line));
    for (const text of shown(".guide, .mine > .hint, " + read))
      for (const line of text.getClientRects())
        if (!inside(line, its) && !text.contains(one) && crosses(line))
          found.add(`a frame crosses ${name(text)}: ${name(one)}`);
    // One that lies on its card is covered by none of its neighbors.
    for (const part of out > 0 ? [] : [0.1, 0.3, 0.5, 0.7, 0.9])
      for (const [x, y] of [
        [part, 0],
        [part, 1],
        [0, part],
        [1, part],
      ]) {
        const there = hit(its.left + 2 + x * (its.width - 4), its.top + 2 + y * (its.height - 4));
        if (!one.contains(there) && !there?.contains(one))
          found.add(`a frame is covered: ${name(one)} by ${name(there)}`);
      }
  }

  // Nothing is too small to see, or to hit with a fingertip.
  const least = innerHeight < 700 ? innerHeight / 24 : lane;
  for (const one of shown(".lane"))
    if (one.offsetHeight < least) found.add(`a lane is ${one.offsetHeight} pixels high`);
  for (const row of innerWidth < 900 ? shown(".hand .suit") : []) {
    const cards = [...row.children].map(box);
    for (const [at, { left, right, height }] of cards.entries()) {
      const seen = Math.min(right, cards[at + 1]?.left ?? right) - left;
      if (Math.min(seen, height) < fingertip - 0.5)
        found.add(`${seen} by ${height} pixels of a card are in sight`);
    }
  }
  const targets = ":is(#board, .bar) :is(a[href], button, select, label[for], label:has(input))";
  for (const one of shown(targets)) {
    if (one.matches(smaller) || one.matches(":disabled")) continue;
    if (ended && !one.closest(".ending, .bar, .tools, .see-table")) continue;
    const { left, right, top, bottom, width, height } = box(one);
    if (list(one) && !inside(box(one), box(list(one)))) continue;
    const has = (x, y) => one.contains(hit(x, y));
    const half = fingertip / 2 - 1,
      steps = [-half, 0, half],
      near = [...steps, half / 2];
    const [x, y] = [left + width / 2, top + height / 2];
    const cross =
      Math.min(width, height) > 2 * half &&
      near.every((step) => has(x + step, y) && has(x, y + step));
    if (cross || steps.every((dx) => steps.every((dy) => has(x + dx, y + dy)))) continue;
    // Its middle isn't free: as much room elsewhere on it will do.
    const free = (from, to, at) => {
      for (let first = from + 1, end; (end = first + fingertip - 4) < to; first = end + 2) {
        while (end >= first && at(end)) end -= 2;
        if (end < first) return true;
      }
      return false;
    };
    const across = [0.5, 0.25, 0.75].some((part) =>
      free(left, right, (along) => has(along, top + part * height)),
    );
    const down = [0.5, 0.15, 0.3, 0.85].some((part) =>
      free(top, bottom, (along) => has(left + part * width, along)),
    );
    if (!across || !down) found.add(`no room for a finger: ${name(one)}`);
  }

  // Every legal move is in sight, as far as no list has to be scrolled to it.
  for (const one of ended
    ? []
    : shown(":is(.hand, .holding, .choices, .scene) [form=play], .hand label")) {
    if (list(one) || one.closest(".places")) continue;
    const { width, height, ...edges } = box(one).toJSON();
    let rest = edges;
    for (const it of [...up(one.parentElement), felt, page]) {
      const { overflowX, overflowY } = styled(it),
        by = it === page ? view : box(it);
      if (it !== page && overflowX === "visible" && overflowY === "visible") continue;
      rest = {
        left: Math.max(rest.left, by.left),
        right: Math.min(rest.right, by.right),
        top: Math.max(rest.top, by.top),
        bottom: Math.min(rest.bottom, by.bottom),
      };
    }
    const part =
      (Math.max(0, rest.right - rest.left) * Math.max(0, rest.bottom - rest.top)) /
      (width * height);
    if (part < 0.8) found.add(`${Math.round(100 * part)} % of a move is in sight: ${name(one)}`);
  }

  // The card to beat is no smaller than the cards on plates.
  const [beat] = shown(".centre .beat").map((one) => one.offsetWidth);
  for (const one of beat && !felt.querySelector(".guide, .hint") ? shown(".seats .trio .card") : [])
    if (one.offsetWidth > beat + 1) found.add(`the card to beat is ${beat} pixels wide`);

  // No word is broken.
  for (const one of shown(
    ".bar h1, .prompt, .guide p, .hint p, .btn, .caption, .heading, .facts",
  )) {
    const words = document.createTreeWalker(one, NodeFilter.SHOW_TEXT),
      range = new Range();
    while (words.nextNode()) {
      const { currentNode: text } = words;
      const on = text.parentElement;
      if (long(on) || !seen(on)) continue;
      for (const { 0: word, index } of text.data.matchAll(/[^\s\u2013\u2014/-]+/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
        if (lines.size > 1 && word.length < 16) found.add(`broken: ${word} of ${name(one)}`);
      }
    }
  }
  return [...found];
};

globalThis.show = (board, warning, missed) => {
  document.getElementById("live").innerHTML = board;
  const notice = document.getElementById("notice"),
    summary = document.getElementById("missed");
  [notice.textContent, notice.hidden] = [warning, !warning];
  summary.hidden = !missed;
  summary.querySelector("[role=status]").innerHTML = missed;
  document.querySelector(".hinted")?.scrollIntoView({ block: "nearest", inline: "nearest" });
};

// Shows the boards whose names begin like this in one go, between two frames: they are laid out, but none is painted.
globalThis.look = (states, ...given) => {
  const found = {};
  for (const [state, board] of Object.entries(boards)) {
    if (!state.match(states)) continue;
    show(board, warnings[state] ?? "", summaries[state] ?? "");
    const wrong = faultsOf(...given);
    if (wrong.length) found[state] = wrong;
  }
  return found;
};

// Faults in the marks of the places for a domino, their number, and how many places are out of sight.
globalThis.marks = () => {
  const found = [],
    port = document.getElementById("window").getBoundingClientRect();
  const shown = (selector) =>
    [...document.querySelectorAll(selector)].filter((one) =>
      one.checkVisibility({ visibilityProperty: true }),
    );
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const inside = ({ x, y, width, height }) =>
    x + width / 2 > port.left &&
    x + width / 2 < port.right &&
    y + height / 2 > port.top &&
    y + height / 2 < port.bottom;
  const all = shown(".place"),
    best = {}; // the points of the best place at each square
  for (const one of all)
    for (const at of one.dataset.turn.split(" "))
      best[at] = Math.max(best[at] ?? 0, Number(one.dataset.points));
  const marks = shown(".place > b").map((one) => [one, one.getBoundingClientRect()]);
  const values = marks
    .map(([one]) => Number(one.textContent))
    .sort()
    .join();
  if (values !== Object.values(best).sort().join()) found.push(`marked: ${values}`);
  const top = Math.max(...Object.values(best));
  for (const [one, box] of marks) {
    if (one.matches(".best > b") !== (Number(one.textContent) === top))
      found.push(`gold or not: ${one.textContent}`);
    for (const [other, its] of marks)
      if (one !== other && meet(box, its)) found.push(`${one.textContent} shares a square`);
    for (const over of shown("#corner, #more"))
      if (inside(box) && meet(over.getBoundingClientRect(), box))
        found.push(`${one.textContent} is covered by ${over.id}`);
  }
  const away = shown(".place.mark").filter(
    (one) => ![...one.querySelectorAll("b")].some((mark) => inside(mark.getBoundingClientRect())),
  );
  const most = Math.max(...away.map((one) => Number(one.dataset.points)));
  const said = away.length ? `${away.length} more${most ? `, up to +${most}` : ""}` : "";
  const told = shown("#more")
    .map((one) => one.textContent)
    .join();
  if (told !== said) found.push(`told "${told}" instead of "${said}"`);
  return [found, marks.length, away.length];
};

// The boxes of the parts of a table that keep their place, on all boards that the page has, by part.
globalThis.zones = () => {
  const kept =
    ".bar, .tools, .ticker, .seats, .seats > .seat, .centre, .total, .lane, .table-top .field, " +
    ".arch, .foundation, .draw-pile, .mine, .mine .hand, .groups";
  const found = {};
  for (const [state, board] of Object.entries(boards)) {
    show(board, "", "");
    const times = {};
    for (const one of document.querySelectorAll(kept)) {
      if (!one.checkVisibility() || one.offsetWidth === 1) continue;
      const { x, y, width, height } = one.getBoundingClientRect();
      const [kind] = kept
        .split(", ")
        .filter((at) => one.matches(at))
        .slice(-1);
      times[kind] = (times[kind] ?? 0) + 1;
      const boxes = (found[`${kind} ${times[kind]}`] ??= {});
      (boxes[[x, y, width, height].map(Math.round)] ??= []).push(state);
    }
  }
  return Object.fromEntries(
    Object.entries(found).filter(([, boxes]) => Object.keys(boxes).length > 1),
  );
};
