import type { Platform } from "./platform.ts";

/** Notes that the platform disabled an account, or reinstated it. */
export function setBanned({ bans }: Pick<Platform, "bans">, wabaId: string, banned: boolean): void {
  if (banned) bans.add(wabaId);
  else bans.delete(wabaId);
}
