import { permissionMissing } from "../_shared/access/key_refusal.ts";
import { AppError } from "../_shared/errors.ts";
import { type ChannelName, PERMISSIONS } from "../_shared/http/guards/require_campaign.ts";
import type { ToolCaller } from "./tool.ts";

/** Throws `permission_missing` for a channel that the caller may not see. */
export function allowedChannel({ channels }: ToolCaller, channel: ChannelName): void {
  if (!channels.includes(channel)) throw AppError.from(permissionMissing(PERMISSIONS[channel]));
}

/**
 * Returns the channel that a list is limited to; undefined where it shows all. Throws `permission_missing` for one that
 * the caller may not see.
 */
export function onlyChannel(caller: ToolCaller, asked: ChannelName | undefined): ChannelName | undefined {
  if (asked !== undefined) allowedChannel(caller, asked);
  return asked ?? (caller.channels.length === 1 ? caller.channels[0] : undefined);
}
