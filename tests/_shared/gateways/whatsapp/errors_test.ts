import assert from "node:assert/strict";
import type { ErrorAction } from "../../../../supabase/functions/_shared/gateways/send_outcome.ts";
import {
  actionFor,
  actionForStatus,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/errors.ts";

/** Section 2 of the platform's contract, once more and by action, so that a slip in the table shows. */
const BY_ACTION: Record<ErrorAction, number[]> = {
  retry: [1, 2, 131000, 131016, 131057, 133004],
  retry_recipient: [131056],
  slow_sender: [4, 80007, 80008, 130429],
  wait_for_slot: [],
  fail: [
    ...[100, 130403, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131047, 131049, 131050],
    ...[131051, 131052, 131053, 131062, 132005, 132018, 135000],
  ],
  check_template: [132000, 132012],
  stop_template: [131063, 132001, 132007, 132015, 132016, 132068, 132069],
  stop_sender: [
    ...[0, 3, 10, 33, 190, 200, 201, 250, 299, 131005, 131037, 131042, 131045, 131048, 131064],
    ...[133000, 133005, 133006, 133008, 133009, 133010, 133015, 133016, 134011],
  ],
  lock_sender: [368, 131031],
};

for (const [action, codes] of Object.entries(BY_ACTION)) {
  Deno.test(`actionFor() returns ${action} for its codes, whatever the HTTP status`, () => {
    for (const code of codes) {
      for (const status of [undefined, 200, 400, 401, 429, 500]) {
        assert.equal(actionFor(code, status).action, action, `code ${code}, status ${status}`);
      }
      assert.match(actionFor(code).reason, /^[A-Z][^\n]{10,}[^.]$/, `code ${code} has a reason for people`);
    }
  });
}

const BY_STATUS: [status: number | undefined, action: ErrorAction][] = [
  [401, "stop_sender"],
  [403, "stop_sender"],
  [429, "slow_sender"],
  [500, "retry"],
  [503, "retry"],
  [302, "retry"],
  [400, "fail"],
  [404, "fail"],
  [undefined, "fail"],
];

for (const [status, action] of BY_STATUS) {
  Deno.test(`actionFor() returns ${action} for an unknown code with HTTP status ${status}`, () => {
    assert.equal(actionFor(999_999, status).action, action);
    assert.match(actionFor(999_999, status).reason, /999999/);
    assert.deepEqual(actionForStatus(status, "why"), { action, reason: "why" });
  });
}

for (const code of [199, 300, -1, 1.5, NaN]) {
  Deno.test(`actionFor() takes ${code} for an unknown code`, () => {
    assert.equal(actionFor(code, 400).action, "fail");
  });
}

const MEDIA: [details: string | undefined, action: ErrorAction][] = [
  ["Media link answered with HTTP code 429", "retry"],
  ["Media link answered with HTTP code 503", "retry"],
  ["Media link answered with HTTP code 404", "fail"],
  ["File of 5000000 bytes is too large", "fail"],
  [undefined, "fail"],
];

for (const [details, action] of MEDIA) {
  Deno.test(`actionFor() returns ${action} for unusable media when the details are: ${details}`, () => {
    assert.equal(actionFor(131053, 400, details).action, action);
  });
}
