// A step of a tutorial fits its window.
import { keepFitting } from "./fit.js";

keepFitting(() => document.querySelector(".picture"));
