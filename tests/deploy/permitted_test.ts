import assert from "node:assert/strict";
import { runCommand } from "../cli/service/run_command.ts";
import { withProduction } from "./production_walk.ts";

Deno.test("serve and dispatch send a notification, from the log-in to the company's webhook, with their permissions alone", () =>
  withProduction(async ({ env, walk }) => {
    const serve = await runCommand("serve", env, /Listening on .*\n/);
    const dispatch = await runCommand("dispatch", env, /Dispatching\n/);
    try {
      await walk();
    } finally {
      assert.deepEqual([await serve.stop("SIGTERM"), await dispatch.stop("SIGTERM")], [0, 0]);
    }
    for (const { output } of [serve, dispatch]) assert.doesNotMatch(output, /NotCapable|Requires/);
  }));
