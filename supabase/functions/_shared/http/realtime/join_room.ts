import type { z } from "@hono/zod-openapi";
import type { Actor } from "../../db/access/audit.ts";
import { endHandoffWithoutRoom, joinHandoff, openHandoffRoom } from "../../db/widgets/voice_sessions.ts";
import { AppError } from "../../errors.ts";
import { countParticipants, MAX_PARTICIPANTS } from "../../gateways/realtime.ts";
import type { AppContext } from "../app/context.ts";
import { enterRoom, type handoffSchema } from "./handoff_room.ts";
import { requireRealtimePlatform } from "./platforms.ts";

/**
 * Lets a person of the company into the visitor's room, and returns the access to it. Throws `not_found` when the handoff
 * does not exist, has ended or has expired, `room_full`, and `service_unavailable` without a realtime platform.
 *
 * @param by the member who joins, for the audit
 */
export async function joinRoom(
  c: AppContext,
  handoff: { companyId: string; handoffId: string },
  by?: Actor,
): Promise<z.input<typeof handoffSchema>> {
  await requirePlaceInRoom(c, handoff);
  const room = await joinHandoff(c.get("services").sql, handoff, by);
  if (room === null) throw noOpenHandoff();
  return { handoff_id: handoff.handoffId, status: "joined", ...await enterRoom(c, room, "operator") };
}

/** Refuses a full room here, because the platform would refuse the participant only after accepting the token. */
async function requirePlaceInRoom(
  c: AppContext,
  handoff: { companyId: string; handoffId: string },
): Promise<void> {
  const platform = requireRealtimePlatform(c);
  const { sql, outages } = c.var.services;
  const room = await openHandoffRoom(sql, handoff);
  if (room === null) throw noOpenHandoff();
  const participants = await countParticipants(platform, room);
  outages.worked("realtime");
  if (participants === null) {
    await endHandoffWithoutRoom(sql, handoff);
    throw noOpenHandoff();
  }
  if (participants >= MAX_PARTICIPANTS) {
    throw new AppError("room_full", `The room is full: it has ${MAX_PARTICIPANTS} participants`, {
      details: { participants, limit: MAX_PARTICIPANTS },
    });
  }
}

function noOpenHandoff(): AppError {
  return new AppError("not_found", "This company has no open handoff with this id");
}
