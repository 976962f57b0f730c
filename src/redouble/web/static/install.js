// Where a browser can install pages as an app, the service worker shows one without a connection.
"use strict";
navigator.serviceWorker?.register(new URL("../service-worker.js", document.currentScript.src));
