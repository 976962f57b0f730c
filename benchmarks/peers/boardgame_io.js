// boardgame.io as a peer of our tables: its server, and pages at its tables.
//
//     node boardgame_io.js serve FOLDER                                 prints its port
//     node boardgame_io.js load FOLDER PORT TABLES INTERVAL SECONDS     prints two lines of JSON
//
// FOLDER holds node_modules with boardgame.io. benchmarks/web.py installs it and runs both. The
// game is of the size of Double Down: four seats, hands of five cards, a draw pile that only the
// server sees, chips, and the last 24 moves. The server runs as it comes: it keeps its tables in
// memory, and sends each player the whole state, without what is secret, after each move.
"use strict";
const { createRequire } = require("node:module");
const [mode, folder, ...rest] = process.argv.slice(2);
const from = createRequire(`${folder}/`);
const SEATS = 4,
  HAND = 5,
  LOG = 24,
  WARM_SECONDS = 5;
const NAME = "peer";

const shuffled = (random) =>
  random.Shuffle(
    Array.from({ length: 100 }, (_, i) => ({ id: i, rank: (i % 10) + 1, color: i % 4 })),
  );

const game = (PlayerView) => ({
  name: NAME,
  setup: ({ random }) => {
    const deck = shuffled(random),
      players = {};
    for (let seat = 0; seat < SEATS; seat++) players[seat] = { hand: deck.splice(0, HAND) };
    return {
      secret: { deck },
      players,
      pile: [],
      total: 0,
      left: deck.length,
      log: [],
      chips: [3, 3, 3, 3],
    };
  },
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: {
      client: false, // as the draw pile is secret
      move: ({ G, playerID, random }, index) => {
        const { hand } = G.players[playerID],
          [card] = hand.splice(index, 1);
        G.pile.push(card);
        G.total += card.rank;
        G.log.unshift({ seat: Number(playerID), text: `played ${card.rank}` });
        G.log.length = Math.min(G.log.length, LOG);
        if (G.total > 99) {
          G.chips[playerID] = (G.chips[playerID] + 3) % 4;
          G.total = 0;
          G.pile = [];
        }
        if (!G.secret.deck.length) G.secret.deck = shuffled(random);
        hand.push(G.secret.deck.pop());
        G.left = G.secret.deck.length;
      },
    },
  },
});

const serve = () => {
  const { Server } = from("boardgame.io/dist/cjs/server.js"),
    { PlayerView } = from("boardgame.io/dist/cjs/core.js");
  const server = Server({ games: [game(PlayerView)], origins: ["http://127.0.0.1"] });
  server.run({ port: 0, callback: () => {} }).then(({ appServer }) => {
    console.log(appServer.address().port);
  });
};

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

class Table {
  constructor(match) {
    this.match = match;
    this.pages = [];
    this.states = [];
    this.waiting = undefined;
  }

  take(seat, state) {
    this.states[seat] = state;
    if (this.waiting && this.states.every((one) => one._stateID > this.waiting.from)) {
      this.waiting.done();
      this.waiting = undefined;
    }
  }

  // Make a move; resolve when all four pages have the new state.
  move() {
    const { _stateID, ctx, G } = this.states[0],
      seat = Number(ctx.currentPlayer),
      args = [Math.floor(Math.random() * HAND)],
      { socket, credentials } = this.pages[seat];
    const action = {
      type: "MAKE_MOVE",
      payload: { type: "play", args, playerID: ctx.currentPlayer, credentials },
    };
    return new Promise((done) => {
      this.waiting = { from: _stateID, done };
      socket.emit("update", action, _stateID, this.match, ctx.currentPlayer);
    });
  }
}

const load = async (port, tables, interval, seconds) => {
  const { io } = from("socket.io-client"),
    address = `http://127.0.0.1:${port}`;
  const post = async (path, body) => {
    const answer = await fetch(`${address}/games/${NAME}/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const all = [];
  for (let i = 0; i < tables; i++) {
    const { matchID } = await post("create", { numPlayers: SEATS }),
      table = new Table(matchID);
    all.push(table);
    for (let seat = 0; seat < SEATS; seat++) {
      const playerID = `${seat}`,
        sat = await post(`${matchID}/join`, { playerID, playerName: `P${i} ${seat}` });
      const socket = io(`${address}/${NAME}`, { transports: ["websocket"], forceNew: true }),
        credentials = sat.playerCredentials;
      table.pages.push({ socket, credentials });
      const synced = new Promise((resolve) => {
        socket.on("sync", (_, { state }) => {
          table.take(seat, state);
          resolve();
        });
      });
      socket.on("update", (_, state) => table.take(seat, state));
      socket.on("connect", () => socket.emit("sync", matchID, playerID, credentials, SEATS));
      await synced;
    }
  }
  const times = [];
  let going = true;
  const play = async (table) => {
    await sleep(Math.random() * interval);
    let due = performance.now();
    while (going) {
      due += 1000 * interval;
      const begun = performance.now();
      await table.move();
      times.push(performance.now() - begun);
      await sleep(Math.max(0, due - performance.now()) / 1000);
    }
  };
  const received = () =>
    all
      .flatMap(({ pages }) => pages)
      .reduce((sum, { socket }) => sum + socket.io.engine.transport.ws._socket.bytesRead, 0);
  for (const table of all) play(table);
  await sleep(WARM_SECONDS);
  times.length = 0;
  const before = received();
  console.log(JSON.stringify({ begun: true }));
  await sleep(seconds);
  const bytes = received() - before,
    moves = times.length;
  going = false;
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(moves * share)];
  console.log(JSON.stringify({ moves, bytes, median: at(0.5), p99: at(0.99) }));
  process.exit(0);
};

if (mode === "serve") serve();
else load(...rest.map(Number));
