/**
 * Loaded before a dispatcher: ends it when its parent process is gone.
 *
 * @module
 */
const parent = Deno.ppid;

Deno.unrefTimer(setInterval(() => {
  if (Deno.ppid !== parent) Deno.exit(3);
}, 1000));
