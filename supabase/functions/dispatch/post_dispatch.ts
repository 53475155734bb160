import { equalSecrets } from "../_shared/crypto/digests.ts";
import { runDispatcher } from "../_shared/dispatching/dispatcher.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { successSchema } from "../_shared/http/app/shared_schemas.ts";
import type { Services } from "../_shared/services.ts";

/** A hosted worker lives 150 s at least; the scheduler calls again before that. */
const MAX_RUN_MS = 50_000;
/**
 * A hosted worker has 2 s of CPU, and is killed with its notifications in flight when they are used up. The runtime does not show
 * how much is left, so messages are counted: each takes 125 µs or less (docs/performance.md), these half a second,
 * and the rest is for the start, for TLS, for slower machines and for outgoing events.
 */
const MAX_MESSAGES_PER_RUN = 4000;
/** A hosted worker has 256 MB of memory; four times as many in flight take up to 320. */
const MAX_IN_FLIGHT = 128;

const route: ApiRoute = {
  method: "post",
  path: "/dispatch",
  operationId: "runDispatcher",
  summary: "Send due messages for up to 50 seconds",
  description: "For a scheduler: responds at once, then sends until nothing is due, for 50 seconds and " +
    "4,000 messages at most.",
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

/** `POST /dispatch` with `Authorization: Bearer <DISPATCH_SECRET>` starts a dispatcher that stops by itself, unless one runs. */
export function registerPostDispatch(app: App): void {
  addRoute(app, route, (c) => {
    const { services } = c.var;
    const secret = services.env.DISPATCH_SECRET;
    const given = c.req.header("Authorization")?.replace(/^Bearer +/i, "") ?? "";
    if (!secret || !equalSecrets(given, secret)) {
      throw new AppError("unauthorized", "The dispatch secret is missing or wrong");
    }
    if (!running.has(services)) services.inBackground(run(services));
    return Promise.resolve(c.json({ success: true }, 202));
  });
}

/** One run at a time in a worker: its limits are the worker's. */
const running = new WeakSet<Services>();

async function run(services: Services): Promise<void> {
  running.add(services);
  try {
    await runDispatcher(services, {
      signal: AbortSignal.timeout(MAX_RUN_MS),
      untilIdle: true,
      maxMessages: MAX_MESSAGES_PER_RUN,
      maxInFlight: MAX_IN_FLIGHT,
    });
  } finally {
    running.delete(services);
  }
}
