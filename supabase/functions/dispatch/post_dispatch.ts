import { equalSecrets } from "../_shared/crypto/digests.ts";
import { runDispatcher } from "../_shared/dispatching/dispatcher.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { successSchema } from "../_shared/http/app/shared_schemas.ts";
import { type Services, servicesOfAllCells } from "../_shared/services.ts";
import { startRunLimits } from "./run_limits.ts";

/** A hosted worker has 256 MB of memory; four times as many in flight take up to 320. */
const MAX_IN_FLIGHT = 128;

/** One of a hundred megabytes takes a third of a second of the processor, of the two that a worker has. */
const MAX_FILES = 2;

/** A claim per full bucket of a sender, not two: a claim costs a worker as much processor time as a message. */
const RATE_LIMITED_POLL_MS = 50;

const route: ApiRoute = {
  method: "post",
  path: "/dispatch",
  operationId: "runDispatcher",
  summary: "Send due messages for up to 10 seconds",
  description: "For a scheduler: responds at once, then sends until nothing is due, for 10 seconds and " +
    "OUTBOUND_DISPATCH_RUN_MESSAGES messages at most. The next call goes on.",
  tags: ["Platform callbacks"],
  security: [{ dispatchSecret: [] }],
  responses: {
    202: {
      description: "Started",
      ...json(successSchema, { success: true }),
    },
    ...errorResponses([401]),
  },
};

/** `POST /dispatch` with `Authorization: Bearer <OUTBOUND_DISPATCH_SECRET>` starts a dispatcher that stops by itself, unless one runs. */
export function registerPostDispatch(app: App): void {
  addRoute(app, route, (c) => {
    const { services } = c.var;
    const secret = services.env.OUTBOUND_DISPATCH_SECRET;
    const given = c.req.header("Authorization")?.replace(/^Bearer +/i, "") ?? "";
    if (!secret || !equalSecrets(given, secret)) {
      throw new AppError("unauthorized", "The dispatch secret is missing or wrong");
    }
    const cells = servicesOfAllCells(services);
    const share = Math.ceil(MAX_IN_FLIGHT / cells.length);
    for (const cell of cells) {
      if (!running.has(cell)) cell.inBackground(run(cell, share));
    }
    return Promise.resolve(c.json({ success: true }, 202));
  });
}

/** One run of a cell at a time in a worker: its limits are the worker's. */
const running = new WeakSet<Services>();

async function run(services: Services, maxInFlight: number): Promise<void> {
  const { env, log } = services;
  running.add(services);
  const limits = startRunLimits();
  try {
    const { sent, ended } = await runDispatcher(services, {
      signal: limits.signal,
      untilIdle: true,
      maxMessages: env.OUTBOUND_DISPATCH_RUN_MESSAGES,
      maxInFlight,
      maxFiles: MAX_FILES,
      rateLimitedPollMs: RATE_LIMITED_POLL_MS,
    });
    log.info("dispatch: a run has ended", { sent, reason: ended === "stopped" ? limits.reason() : ended });
  } finally {
    limits.stop();
    running.delete(services);
  }
}
