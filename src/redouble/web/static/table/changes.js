// What a change of the board brings besides the board: the title, a notification, the keyboard's place, hints in sight
// and unread messages.
import { messagesCome, wantsMessages } from "../notify.js";
import { $, board, live, onChange } from "../shared.js";

// The title and the icon say whose turn it is. A player who looks elsewhere is notified, if they want that.
export const entitle = () => {
  let was = {};
  const show = () => {
    const { mine, title, icon } = board().dataset;
    if (was.title !== title) {
      document.title = `${title} · Redouble`;
      document.querySelector("link[rel=icon]").href = icon;
    }
    if (was.mine === "0" && mine === "1") notify(title, icon);
    was = { mine, title };
  };
  show();
  onChange(show);
  closeMessages();
  document.addEventListener("visibilitychange", closeMessages);
};
// What messages say about a table is seen when it is.
const closeMessages = async () => {
  if (document.hidden) return;
  const worker = await navigator.serviceWorker?.getRegistration(),
    shown = (await worker?.getNotifications({ tag: location.pathname })) ?? [];
  for (const one of shown) one.close();
};
const notify = async (title, icon) => {
  if (!document.hidden || !wantsMessages() || (await messagesCome()) === false) return;
  const looks = { icon, tag: location.pathname, renotify: true };
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

// The keyboard keeps its place. When a change of the board removes what has the focus, or leaves in its place a card
// that can't be played, the same element drawn again gets it; otherwise a move on the player's turn; otherwise the
// prompt.
export const keepFocus = () => {
  const MOVE = "button[form=play]",
    LIKE = ["id", "name", "value", "href"];
  // What got the focus before this script was there counts too.
  let keyboard = document.activeElement.matches(":focus-visible"),
    held,
    heldMove;
  const take = (target) => {
    held = live().contains(target) ? target : undefined;
    heldMove = target.matches(MOVE);
  };
  take(document.activeElement);
  addEventListener("keydown", () => (keyboard = true));
  addEventListener("pointerdown", () => (keyboard = false));
  addEventListener("focusin", ({ target }) => take(target));
  onChange(() => {
    const active = document.activeElement,
      lost = active === document.body,
      dead = heldMove && active === held && !active.matches(MOVE),
      prompt = $("prompt");
    if (!keyboard || !(lost || dead || active === prompt)) return;
    const all = (selector) =>
      [...board().querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const alike = (one) => LIKE.every((key) => one[key] === held[key]);
    const next =
      (lost && held && all("a, button, input, select, [tabindex]").find(alike)) ||
      (board().dataset.mine === "1" && all(`.mine input[type=radio], ${MOVE}`)[0]) ||
      (held && prompt);
    if (next && next !== active) next.focus({ preventScroll: true });
  });
};

// What a hint suggests is in sight, in a hand that scrolls.
export const showHints = () => {
  let framed;
  const show = () => {
    const one = board().querySelector(".hinted:not(.place)"),
      before = framed;
    framed = one?.value;
    if (framed !== before) one?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  show();
  onChange(show);
};

export const chat = () => {
  // A message that was sent leaves its field, but not what has been typed there since.
  let message;
  document.addEventListener("submit", ({ target }) => {
    if (target.matches(".say")) message = $("say").value;
  });
  document.addEventListener("htmx:after:request", ({ target, detail: { ctx } }) => {
    const field = $("say");
    if (ctx.response?.status < 300 && target.matches?.(".say") && field.value === message)
      field.value = "";
  });
  // What is being written when the game begins stays in sight.
  let { waiting } = board().dataset;
  onChange(() => {
    const before = waiting;
    ({ waiting } = board().dataset);
    const field = $("say");
    if (before === waiting || !field?.value || field.checkVisibility()) return;
    $("talk").showPopover();
    field.focus();
  });
  // How long it takes until the viewer can write again.
  setInterval(() => {
    const left = document.querySelector("#next-line b");
    if (!left) return;
    left.textContent = Math.max(0, Number(left.textContent) - 1);
    left.parentNode.hidden = left.textContent === "0";
  }, 1000);
  // Messages of others that came while the chat was out of sight are counted on its button.
  const key = `heard ${location.pathname}`,
    heard = () => Number(keep.get(key, "sessionStorage") ?? 0);
  const count = () => {
    const badge = $("unread");
    if (!badge) return;
    const said = [...document.querySelectorAll("#chat [data-heard]")].map((one) =>
      Number(one.id.slice(5)),
    );
    if ($("chat").checkVisibility()) keep.set(key, Math.max(heard(), ...said), "sessionStorage");
    const unread = said.filter((one) => one > heard()).length,
      text = unread ? `${unread}` : "";
    if (badge.textContent !== text) badge.textContent = text;
    if (badge.hidden !== !unread) badge.hidden = !unread;
  };
  document.addEventListener("toggle", count, { capture: true });
  addEventListener("resize", count);
  count();
  onChange(count);
};
