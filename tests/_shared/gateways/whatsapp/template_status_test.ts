import assert from "node:assert/strict";
import { templateStatus } from "../../../../supabase/functions/_shared/gateways/whatsapp/list_templates.ts";

const STATUS: Record<string, string[]> = {
  pending: ["PENDING"],
  approved: ["APPROVED", "REINSTATED", "UNARCHIVED", "FLAGGED", "approved"],
  rejected: ["REJECTED", "IN_APPEAL"],
  disabled: ["PAUSED", "DISABLED", "ARCHIVED", "PENDING_DELETION", "DELETED", "LIMIT_EXCEEDED", "LOCKED"],
  something_new: ["SOMETHING_NEW"],
  constructor: ["constructor"],
};

for (const [ours, theirs] of Object.entries(STATUS)) {
  Deno.test(`templateStatus() returns ${ours} for ${theirs}`, () => {
    for (const status of theirs) assert.equal(templateStatus(status), ours);
  });
}
