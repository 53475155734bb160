import { AppError } from "../../_shared/errors.ts";

/** Returns the refusal to change a campaign that is under way, over, or still being made (`open`). */
export function notScheduled(outcome: "open" | "started", status: string): AppError {
  const message = outcome === "open"
    ? "The campaign still takes contacts: change it when the last request or the file is stored"
    : `Only a campaign that is scheduled and has not started can be changed: this one is ${status}`;
  return new AppError("campaign_not_scheduled", message, { details: { status } });
}
