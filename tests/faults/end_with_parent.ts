/**
 * Loaded before a dispatcher: ends it when whoever started it is gone, which gives it another parent.
 *
 * @module
 */
const parent = Deno.ppid;

Deno.unrefTimer(setInterval(() => {
  if (Deno.ppid !== parent) Deno.exit(3);
}, 1000));
