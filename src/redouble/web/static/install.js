// Where a browser can install pages as an app, the service worker shows one without a connection.
"use strict";
navigator.serviceWorker?.register("/service-worker.js");
