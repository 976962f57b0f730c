// What the table's page can do only with a script; everything else works without.
import { live } from "../shared.js";
import { chat, entitle, keepFocus, showHints } from "./changes.js";
import { follow } from "./follow.js";
import { listenToGestures } from "./gestures.js";
import { explainSigns, offerPlayers, offerRules, offerSwitches } from "./menu.js";
import { sound } from "./sounds.js";
import { countOtherTables, playForced, showClock } from "./turn.js";

follow();
chat();
entitle();
showHints();
sound();
keepFocus();
offerSwitches();
offerRules();
explainSigns();
offerPlayers();
listenToGestures();
showClock();
if (new URLSearchParams(live().dataset.view).get("seat") >= 0) countOtherTables();
playForced();
