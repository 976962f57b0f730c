// What a table sounds like. Every sound is made of a few voices when it is heard, so nothing has to be loaded.
import { $, board, onChange } from "../shared.js";

// A voice is [what, when, how long, pitch at first, pitch at last, loudness], in seconds and hertz. "noise" is a
// hiss around its pitch, as of paper; the others are tones.
const paper = (at, loud = 0.5) => ["noise", at, 0.06, 2600, 1500, loud],
  chime = (at, pitch, loud = 0.22) => ["triangle", at, 0.3, pitch, pitch, loud];
export const SOUNDS = {
  deal: [0, 0.08, 0.16, 0.24, 0.32].map((at) => paper(at, 0.35)),
  place: [paper(0), ["sine", 0.01, 0.05, 190, 120, 0.3]],
  count: [0, 0.05, 0.1, 0.15].map((at, i) => [
    "sine",
    0.12 + at,
    0.03,
    900 + 90 * i,
    950 + 90 * i,
    0.1,
  ]),
  loss: [
    ["triangle", 0, 0.16, 392, 370, 0.25],
    ["triangle", 0.16, 0.4, 262, 196, 0.25],
    ["square", 0.5, 0.05, 2100, 1800, 0.05],
    ["square", 0.58, 0.08, 2600, 2200, 0.05],
  ],
  trick: [["noise", 0, 0.22, 900, 3200, 0.35], chime(0.16, 523)],
  clear: [["noise", 0, 0.4, 600, 5200, 0.4], chime(0.28, 784), chime(0.36, 1047)],
  pickup: [0, 0.05, 0.1, 0.15, 0.2].map((at, i) => ["noise", at, 0.06, 2200 - 280 * i, 900, 0.4]),
  domino: [
    ["noise", 0, 0.03, 1300, 900, 0.9],
    ["sine", 0, 0.07, 320, 180, 0.4],
  ],
  win: [523, 659, 784, 1047].map((pitch, i) => chime(0.13 * i, pitch, 0.3)),
  turn: [chime(0, 659), chime(0.12, 880)],
};
const USUAL_VOLUME = 0.6;
const LOUDEST = 0.6; // of what the computer plays at its own volume
let context, hiss;

const noise = () => {
  if (!hiss) {
    hiss = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = hiss.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = 2 * Math.random() - 1;
  }
  const source = context.createBufferSource(),
    around = context.createBiquadFilter();
  source.buffer = hiss;
  around.type = "bandpass";
  source.connect(around);
  return [source, around, around.frequency];
};
const tone = (type) => {
  const source = context.createOscillator();
  source.type = type;
  return [source, source, source.frequency];
};

// Browsers allow sounds once a page was touched.
export const play = (names, volume) => {
  if (!names.length || !(volume > 0) || !globalThis.AudioContext) return;
  context ??= new AudioContext();
  context.resume();
  for (const name of names)
    for (const [what, at, long, first, last, loud] of SOUNDS[name] ?? []) {
      const [source, end, pitch] = what === "noise" ? noise() : tone(what),
        gain = context.createGain(),
        start = context.currentTime + 0.01 + at;
      pitch.setValueAtTime(first, start);
      pitch.exponentialRampToValueAtTime(last, start + long);
      gain.gain.setValueAtTime(loud * volume * LOUDEST, start);
      gain.gain.exponentialRampToValueAtTime(0.0001, start + long);
      end.connect(gain).connect(context.destination);
      source.start(start);
      source.stop(start + long + 0.02);
    }
};

// The names of what is heard when a board's data change. A move is heard with its first board, what it led to with the
// moments after it.
export const soundsOf = (before, now) => {
  const heard = [];
  if (Number(now.moves) > Number(before.moves)) heard.push(now.sound);
  if (now.moment && now.moment !== before.moment) heard.push(now.heard ?? "");
  if (now.celebrated > before.celebrated) heard.push("win");
  else if (now.mine > before.mine) heard.push("turn");
  return heard.flatMap((names) => names.split(" "));
};

// Off until the viewer turns it on: the first table asks.
export const sound = () => {
  const button = $("sound"),
    isOn = () => button.getAttribute("aria-pressed") === "true",
    volume = () => (isOn() ? Number(keep.get("volume") ?? USUAL_VOLUME) : 0);
  let before = { ...board().dataset };
  const turn = (on) => {
    button.setAttribute("aria-pressed", on);
    button.classList.remove("state");
    button.querySelector("span")?.remove();
  };
  button.hidden = false;
  if (keep.get("sound") === null) {
    keep.set("sound", "off");
    button.classList.add("state");
  } else turn(keep.get("sound") === "on");
  button.addEventListener("click", () => {
    turn(!isOn());
    keep.set("sound", isOn() ? "on" : "off");
    play(["turn"], volume());
  });
  onChange(() => {
    const now = { ...board().dataset };
    play(soundsOf(before, now), volume());
    before = now;
  });
};
