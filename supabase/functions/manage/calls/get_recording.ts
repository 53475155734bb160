import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import { RECORDING_TYPES } from "../../_shared/gateways/voice/fetch_recording.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { respondPlatformFile } from "../../_shared/http/app/platform_file.ts";
import { openRecording } from "../../_shared/http/company/call_recording.ts";
import { addCompanyRoute } from "../company_route.ts";
import { limitMembers } from "../../_shared/http/guards/limits.ts";

const sound = { schema: z.string().openapi({ format: "binary" }) };

/** Per minute, of a company: each is a request with the key that calls need too. */
const MAX_READS = 60;

/** `GET …/calls/{notification_id}/recording` streams the recording of a call. */
export function registerGetRecording(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/calls/{notification_id}/recording",
      operationId: "getCallRecording",
      summary: "Download the recording of a call",
      description:
        "At most 100 MB of sound. It comes from the voice platform as it is read, and is stored nowhere. The platform " +
        "has it some seconds after the call, for as long as it is set up to.",
      params: z.object({ notification_id: z.guid() }),
      response: { files: Object.fromEntries(RECORDING_TYPES.map((type) => [type, sound])) },
      refusals: [413],
    },
    async (c, { caller: { companyId, by }, params: { notification_id: callId } }) => {
      limitMembers(c, { what: "recordings", companyId, perMinute: MAX_READS });
      const recording = await openRecording(c.get("services"), { companyId, callId });
      await writeAudit(c.get("services").sql, companyId, {
        ...by,
        action: "recording.read",
        subject: callId,
      });
      const { type } = recording;
      const ending = type === "audio/mpeg" ? "mp3" : type.slice("audio/".length);
      return respondPlatformFile(c, recording, {
        type,
        disposition: `attachment; filename="call-${callId}.${ending}"`,
      });
    },
  );
}
