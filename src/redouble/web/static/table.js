// What the table's page can do only with a script; everything else works without.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const board = () => $("board"),
    live = $("live");

  // A message that was sent leaves its field, but not what has been typed there since.
  let message;
  document.addEventListener("submit", (event) => {
    if (event.target.matches(".say")) message = $("say").value;
  });
  document.addEventListener("htmx:after:request", ({ target, detail: { ctx } }) => {
    const field = $("say");
    if (ctx.response?.status < 300 && target.matches?.(".say") && field.value === message)
      field.value = "";
  });

  // After each change: the title, the keyboard's place, a sound.
  let titled;
  const entitle = () => {
    titled = board().dataset.title;
    document.title = `${titled} · Redouble`;
    document.querySelector("link[rel=icon]").href = board().dataset.icon;
  };
  entitle();
  let turn = board().dataset.mine,
    before = { ...board().dataset };
  // A move is heard with its first board, what it led to with the moments after it.
  const sound = () => {
    const now = { ...board().dataset },
      heard = [];
    if (Number(now.moves) > Number(before.moves)) heard.push(now.sound);
    if (now.moment && now.moment !== before.moment) heard.push(now.heard ?? "");
    if (now.celebrated > before.celebrated) heard.push("win");
    else if (now.mine > before.mine) heard.push("turn");
    before = now;
    playSounds(heard.join(" "), volume());
  };
  // Off until the viewer turns it on: the first table asks.
  const button = $("sound"),
    loudness = $("volume"),
    volume = () => (button.getAttribute("aria-pressed") === "true" ? Number(loudness.value) : 0);
  const turnSound = (on) => {
    button.setAttribute("aria-pressed", on);
    button.classList.remove("state");
    button.querySelector("span")?.remove();
  };
  button.hidden = false;
  if (keep.get("sound") === null) {
    keep.set("sound", "off");
    button.classList.add("state");
  } else turnSound(keep.get("sound") === "on");
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    turnSound(on);
    keep.set("sound", on ? "on" : "off");
    playSounds("turn", volume());
  });
  loudness.value = keep.get("volume") ?? loudness.value;
  loudness.addEventListener("change", () => {
    keep.set("volume", loudness.value);
    turnSound(true);
    keep.set("sound", "on");
    playSounds("place", volume());
  });
  // The keyboard keeps its place. When a change of the board removes what has the focus, or leaves
  // in its place a card that can't be played, the same element drawn again gets it; otherwise a move
  // on the player's turn; otherwise the prompt.
  const MOVE = "button[form=play]";
  // What got the focus before this script was there counts too.
  let keyboard = document.activeElement.matches(":focus-visible"),
    held,
    heldMove;
  const take = (target) => {
    held = live.contains(target) ? target : undefined;
    heldMove = target.matches(MOVE);
  };
  take(document.activeElement);
  addEventListener("keydown", () => {
    keyboard = true;
  });
  addEventListener("pointerdown", () => {
    keyboard = false;
  });
  addEventListener("focusin", ({ target }) => take(target));
  const keepPlace = () => {
    const active = document.activeElement,
      lost = active === document.body,
      dead = heldMove && active === held && !active.matches(MOVE),
      prompt = $("prompt");
    if (!keyboard || !(lost || dead || active === prompt)) return;
    const all = (selector) =>
      [...board().querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const alike = (one) => ["id", "name", "value", "href"].every((key) => one[key] === held[key]);
    const next =
      (lost && held && all("a, button, input, select, [tabindex]").find(alike)) ||
      (turn === "1" && all(`.mine input[type=radio], ${MOVE}`)[0]) ||
      (held && prompt);
    if (next && next !== active) next.focus({ preventScroll: true });
  };
  // Messages of others that came while the chat was out of sight are counted on its button.
  const heard = `heard ${location.pathname}`;
  const countUnread = () => {
    const badge = $("unread");
    if (!badge) return;
    const said = [...document.querySelectorAll("#chat [data-heard]")].map((one) =>
        Number(one.id.slice(5)),
      ),
      last = Number(keep.get(heard, "sessionStorage") ?? 0);
    if ($("chat").checkVisibility()) keep.set(heard, Math.max(last, ...said), "sessionStorage");
    const unread = said.filter(
      (one) => one > Number(keep.get(heard, "sessionStorage") ?? 0),
    ).length;
    const text = unread ? `${unread}` : "";
    if (badge.textContent !== text) badge.textContent = text;
    if (badge.hidden !== !unread) badge.hidden = !unread;
  };
  // How long it takes until the viewer can write again.
  setInterval(() => {
    const left = document.querySelector("#next-line b");
    if (!left) return;
    left.textContent = Math.max(0, Number(left.textContent) - 1);
    left.parentNode.hidden = left.textContent === "0";
  }, 1000);
  document.addEventListener("toggle", countUnread, { capture: true });
  addEventListener("resize", countUnread);
  countUnread();
  // What a hint suggests is in sight, in a hand that scrolls.
  let framed;
  const showHint = () => {
    const one = board().querySelector(".hinted:not(.place)"),
      before = framed;
    framed = one?.value;
    if (framed !== before) one?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  showHint();
  new MutationObserver(() => {
    const now = board();
    if (!now) return;
    showHint();
    countUnread();
    const { mine, title } = now.dataset,
      called = mine === "1" && turn !== "1";
    turn = mine;
    if (titled !== title) entitle();
    if (called) notify();
    sound();
    keepPlace();
  }).observe($("live"), {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["data-ply", "data-moment", "data-mine", "data-title"],
  });

  // Keyboard shortcuts are on until the viewer changes them; cards look as usual.
  // Forced moves are played in a solitaire game, and elsewhere if the viewer wants it.
  const toggle = (id, usual, change = () => {}, chosen = () => {}) => {
    const button = $(id),
      set = (on) => {
        button.setAttribute("aria-pressed", on);
        change(on);
      };
    set((keep.get(id) ?? usual) === "on");
    button.addEventListener("click", () => {
      keep.set(id, button.getAttribute("aria-pressed") === "true" ? "off" : "on");
      set(keep.get(id) === "on");
      chosen(id);
    });
  };
  // On the viewer's other devices pages shall look alike.
  const tell = (id) =>
    fetch("/me/looks", {
      method: "POST",
      body: new URLSearchParams({ [id]: keep.get(id) }),
    }).catch(() => {}); // this device knows it
  toggle("keys", "on");
  if ($("play-forced-alone")) toggle("play-forced-alone", "on");
  if ($("play-forced")) toggle("play-forced", "off");
  const page = document.documentElement;
  for (const { id } of document.querySelectorAll(".switches .look"))
    toggle(id, "off", (on) => page.classList.toggle(id, on), tell);
  const choose = (id, change) => {
    const field = $(id);
    field.value = keep.get(id) ?? field.value;
    field.addEventListener("change", () => {
      keep.set(id, field.value);
      change(field.value);
      tell(id);
    });
  };
  choose("theme", (scheme) => (page.style.colorScheme = scheme));
  choose("backs", (color) => (page.dataset.backs = color));
  $("theme").closest("label").hidden = !CSS.supports("color", "light-dark(red, red)");
  // The rules' pictures come when they are opened, at the one that is most like the prompt, unless the
  // reader has gone elsewhere meanwhile. They keep styles and names of their own.
  const rules = $("short-rules"),
    drawer = $("table-menu");
  $("to-rules").addEventListener("click", () => {
    rules.open = true;
  });
  rules.addEventListener("toggle", async () => {
    if (!rules.open) return;
    const was = drawer.scrollTop,
      place = rules.querySelector("div"),
      prompt = $("prompt")?.querySelector("small")?.textContent ?? "",
      reply = await fetch(`${place.dataset.from}?prompt=${encodeURIComponent(prompt)}`);
    if (!reply.ok) return;
    const root = place.shadowRoot ?? place.attachShadow({ mode: "open" }),
      went = drawer.scrollTop !== was,
      below = drawer.scrollHeight - drawer.scrollTop;
    root.innerHTML = await reply.text();
    const styles = [...root.querySelectorAll("link")].map(
      (style) => new Promise((done) => (style.onload = style.onerror = done)),
    );
    await Promise.all(styles);
    if (went) drawer.scrollTop = drawer.scrollHeight - below;
    else (root.getElementById("now") ?? rules).scrollIntoView({ block: "start" });
  });
  // What a sign on the table means is told under the mouse. A tap on what does nothing else opens the
  // list of all signs there.
  const signs = [...document.querySelectorAll("#signs [data-at]")],
    signOf = ({ target }) => {
      const [one] = signs
        .map((sign) => [sign, target.closest?.(`#board :is(${sign.dataset.at})`)])
        .filter(([, at]) => at)
        .sort(([, a], [, b]) => (a.contains(b) ? 1 : -1));
      return one ?? [];
    };
  document.addEventListener("pointerover", (event) => {
    const [sign, at] = signOf(event);
    if (at && !at.closest("[title], button, [data-why]"))
      at.title = sign.querySelector("dd").textContent;
  });
  document.addEventListener("click", (event) => {
    const own = "button, a, label, input, [data-why], #window"; // what a tap there does
    if (event.target.closest(own) || board().dataset.hold) return;
    const [sign] = signOf(event);
    if (!sign) return;
    for (const one of signs) one.classList.toggle("now", one === sign);
    drawer.showPopover();
    sign.scrollIntoView({ block: "center" });
  });
  // A notification when it is the player's turn and they look elsewhere, where a browser has them.
  if (window.Notification && isSecureContext) {
    const button = $("notify");
    button.hidden = false;
    toggle("notify", "off");
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-pressed") === "true") Notification.requestPermission();
    });
  }
  const notify = () => {
    if (!document.hidden || $("notify").getAttribute("aria-pressed") !== "true") return;
    if (Notification.permission !== "granted") return;
    const { title, icon } = board().dataset,
      looks = { icon, tag: location.pathname };
    try {
      const one = new Notification(title, looks);
      one.onclick = () => {
        focus();
        one.close();
      };
    } catch {
      // Phones want the service worker to show it.
      navigator.serviceWorker
        ?.getRegistration()
        .then((worker) => worker?.showNotification(title, looks));
    }
  };
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest(":is([name=pace], [name=chat])");
    if (chosen)
      for (const one of document.getElementsByName(chosen.name))
        one.setAttribute("aria-pressed", one === chosen);
  });

  // Undo goes back to the last decision; pressed for long, or with Shift, by one move.
  const LONG = 500;
  let pressed,
    longPressed = false;
  const stepBack = ({ form }) => {
    const step = Object.assign(document.createElement("input"), {
      type: "hidden",
      name: "step",
      value: "1",
    });
    form.append(step);
    setTimeout(() => step.remove());
  };
  const undoOf = ({ target }) => target.closest?.("[form=command][value=undo]");
  document.addEventListener("pointerdown", (event) => {
    const button = undoOf(event);
    clearTimeout(pressed);
    if (!button || event.button !== 0) return;
    pressed = setTimeout(() => {
      stepBack(button);
      button.click();
      longPressed = true;
    }, LONG);
  });
  // the click that a browser makes of it
  document.addEventListener(
    "click",
    (event) => {
      if (longPressed && event.isTrusted && undoOf(event)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      } else if (event.shiftKey && undoOf(event)) stepBack(undoOf(event));
      if (event.isTrusted) longPressed = false;
    },
    { capture: true },
  );
  for (const kind of ["pointerup", "pointercancel", "pointermove"])
    document.addEventListener(kind, (event) => {
      if (kind !== "pointermove" || !undoOf(event)) clearTimeout(pressed);
    });
  document.addEventListener("contextmenu", (event) => {
    if (undoOf(event)) event.preventDefault(); // a phone's answer to a long press
  });

  // A long press or a right click on a player, or the menu key, opens what can be done about them, as does their
  // name below the chat. While a finger or button is down, the browser would close it again.
  let down = false,
    asked,
    start,
    longing,
    swallowed = false;
  const menu = $("player"),
    playerOf = ({ target }) => {
      const { seat } = target.closest?.("[data-seat]")?.dataset ?? {};
      return seat && document.querySelector(`.players [data-seat="${seat}"]`);
    };
  const openMenu = (player) => {
    const name = player.firstChild.textContent,
      muted = "muted" in player.dataset;
    menu.elements.other.value = player.dataset.seat;
    $("player-name").textContent = name;
    for (const one of menu.querySelectorAll("[data-says]")) {
      one.textContent = one.dataset.says.replace("{name}", () => name);
      one.hidden = one.value === (muted ? "mute" : "unmute");
    }
    menu.querySelector("a").href = `${player.href}#report`;
    menu.showPopover();
    menu.querySelector(":is(button, a):not([hidden])").focus();
  };
  const openAsked = () =>
    setTimeout(() => {
      if (down || !asked) return;
      if (!menu.matches(":popover-open")) openMenu(asked);
      asked = undefined;
      swallowed = false;
    });
  menu?.addEventListener("submit", () => menu.hidePopover());
  document.addEventListener("click", (event) => {
    const player = event.target.closest(".players a");
    if (!player || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openMenu(player);
  });
  document.addEventListener("pointerdown", (event) => {
    down = true;
    start = event;
    const player = event.button === 0 && !event.target.closest("button, a") && playerOf(event);
    clearTimeout(longing);
    if (player)
      longing = setTimeout(() => {
        asked = player;
        swallowed = true;
      }, LONG);
  });
  document.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (start && Math.hypot(clientX - start.clientX, clientY - start.clientY) > 12)
      clearTimeout(longing);
  });
  for (const kind of ["pointerup", "pointercancel"])
    document.addEventListener(kind, () => {
      down = false;
      clearTimeout(longing);
      openAsked();
    });
  document.addEventListener("contextmenu", (event) => {
    const player = playerOf(event);
    if (!player) return;
    event.preventDefault();
    asked = player;
    openAsked();
  });
  document.addEventListener(
    "click",
    (event) => {
      if (!swallowed) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  // A card can be dragged. Dropped where it lay it stays; dropped on what the scene marks as its
  // aim, or anywhere else where nothing is marked, it is played.
  let dragged,
    swallow = false;
  const release = (card) => {
    const { scrolls, left, top } = scrolled;
    card.classList.remove("dragged");
    card.style.translate = "";
    scrolls?.scrollTo({ left, top, behavior: "instant" });
  };
  // A hand that scrolls lets a card out: meanwhile the style sheet moves what was scrolled to.
  let scrolled = {};
  const letOut = (card) => {
    const scrolls = card.closest(".scrolls");
    scrolled = { scrolls, left: scrolls?.scrollLeft ?? 0, top: scrolls?.scrollTop ?? 0 };
    scrolls?.style.setProperty("--over-left", `${scrolled.left}px`);
    scrolls?.style.setProperty("--over-top", `${scrolled.top}px`);
  };
  const covers = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const meet = (a, b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  document.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("button.card[form=play]");
    if (!card || event.button !== 0) return;
    dragged = {
      card,
      box: card.getBoundingClientRect(),
      x: event.clientX,
      y: event.clientY,
      far: false,
    };
  });
  document.addEventListener("pointermove", (event) => {
    if (!dragged?.card.isConnected) return; // the scene may have changed meanwhile
    const { card, x, y } = dragged,
      [dx, dy] = [event.clientX - x, event.clientY - y];
    if (!dragged.far && Math.hypot(dx, dy) <= 12) return;
    if (!dragged.far) {
      card.setPointerCapture(event.pointerId);
      letOut(card);
    }
    dragged.far = true;
    card.classList.add("dragged");
    card.style.translate = `${dx}px ${dy}px`;
  });
  document.addEventListener("pointerup", (event) => {
    if (!dragged) return;
    const { card, box, far } = dragged,
      aim = document.querySelector("[data-drop]");
    dragged = undefined;
    if (!far) return;
    swallow = true; // the click that a browser makes of it
    setTimeout(() => {
      swallow = false;
    });
    const there = !aim || meet(card.getBoundingClientRect(), aim.getBoundingClientRect());
    if (!card.isConnected || !there || covers(box, event.clientX, event.clientY))
      return release(card);
    card.form?.requestSubmit(card);
    setTimeout(release, 800, card); // when it was not taken; else it lies elsewhere by then
  });
  document.addEventListener("pointercancel", () => {
    if (dragged) release(dragged.card);
    dragged = undefined;
  });

  // The second click of a double click plays no other card than the first.
  let clicked;
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest("[form=play]"),
        before = clicked;
      if (!button) return;
      clicked = button.id || button.value;
      if (!swallow && (event.detail < 2 || clicked === before)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
})();
