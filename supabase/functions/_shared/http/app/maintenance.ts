import { AppError } from "../../errors.ts";
import type { AppContext } from "./context.ts";

/** Open during maintenance: the platform's events must not be lost, and health must stay visible. */
const ALWAYS_OPEN = /^\/(webhooks|health|dispatch)(\/|$)/;

/**
 * Throws `service_unavailable` with `details.maintenance_window` while `deno task admin maintenance on` is in force. Every
 * route calls it, and so the refusal has the form of the route's other errors.
 */
export async function refuseDuringMaintenance(c: AppContext): Promise<void> {
  if (ALWAYS_OPEN.test(c.req.path)) return;
  const { maintenance, now } = c.get("services");
  // A failing database is for the route to report.
  const switched = await maintenance.get("maintenance").catch(() => null);
  const ended = switched?.until && new Date(switched.until) <= now();
  if (!switched?.on || ended) return;
  throw new AppError("service_unavailable", "The service is under maintenance", {
    details: { maintenance_window: { start: switched.since, end: switched.until } },
    retryAfterS: switched.until
      ? Math.ceil((Date.parse(switched.until) - now().getTime()) / 1000)
      : undefined,
  });
}
