import assert from "node:assert/strict";
import { NUMBER_ID, WABA_ID, withPlatform } from "../with_platform.ts";

/** Requests that public clients of the platform send for `two_values`, to the letter. */
const SENDS: [client: string, body: string][] = [
  [
    "pywa 4.5.0",
    `{"messaging_product":"whatsapp","recipient_type":"individual","type":"template","to":"573001112233","template":{"name":"two_values","language":{"code":"en_US"},"components":[{"type":"BODY","parameters":[{"type":"text","text":"Asha"},{"type":"text","text":"A-1"}]}]}}`,
  ],
  [
    "whatsapp-api-js 6.3.0",
    `{"messaging_product":"whatsapp","recipient_type":"individual","to":"573001112233","type":"template","template":{"name":"two_values","language":{"code":"en_US","policy":"deterministic"},"components":[{"type":"body","parameters":[{"type":"text","text":"Asha"},{"type":"text","text":"A-1"}]}]},"biz_opaque_callback_data":"track-1"}`,
  ],
];

for (const [client, body] of SENDS) {
  Deno.test(`POST /messages accepts a template as ${client} sends it`, () =>
    withPlatform(async ({ call, control }) => {
      const answer = await call("POST", `/v24.0/${NUMBER_ID}/messages`, { body });

      assert.deepEqual([answer.status, answer.body.contacts], [200, [{
        input: "573001112233",
        wa_id: "573001112233",
      }]]);
      const { body: { data: [message] } } = await control("GET", "messages?to=573001112233");
      assert.equal(message.rendered.body, "Hi Asha, your order A-1 is here.");
    }));
}

Deno.test("POST /messages accepts buttons in capitals, and with an index after their parameters", () =>
  withPlatform(async ({ call }) => {
    const components = [
      `{"type":"BUTTON","sub_type":"URL","index":0,"parameters":[{"type":"text","text":"a"}]}`,
      `{"type":"button","sub_type":"quick_reply","parameters":[{"type":"payload","payload":"STOP"}],"index":2}`,
      `{"type":"button","sub_type":"COPY_CODE","index":3,"parameters":[{"type":"coupon_code","coupon_code":"SAVE1"}]}`,
    ];
    const template = `{"name":"buttons","language":{"code":"en_US"},"components":[${components.join(",")}]}`;
    const body =
      `{"messaging_product":"whatsapp","to":"573001112233","type":"template","template":${template}}`;

    const answer = await call("POST", `/v24.0/${NUMBER_ID}/messages`, { body });

    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }));

Deno.test("POST /messages accepts a read receipt, with a typing indicator or without", () =>
  withPlatform(async ({ call, control }) => {
    const receipts = [
      `{"messaging_product":"whatsapp","status":"read","message_id":"wamid.x"}`,
      `{"messaging_product":"whatsapp","status":"read","message_id":"wamid.x","typing_indicator":{"type":"text"}}`,
    ];

    for (const body of receipts) {
      const answer = await call("POST", `/v24.0/${NUMBER_ID}/messages`, { body });

      assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
    }
    assert.equal((await control("GET", "messages")).body.total, 0);
  }));

Deno.test("GET of objects accepts every field that pywa 4.5.0 asks for, and leaves out what is not simulated", () =>
  withPlatform(async ({ call }) => {
    const templates = await call(
      "GET",
      `/v24.0/${WABA_ID}/message_templates?fields=id%2Cname%2Clanguage%2Ccategory%2Cstatus%2Ccomponents%2Cparameter_format%2Cmessage_send_ttl_seconds%2Ccorrect_category%2Cprevious_category%2Crejected_reason%2Clibrary_template_name%2Cquality_score%2Ccta_url_link_tracking_opted_out%2Csub_category%2Cdegrees_of_freedom_spec&summary=total_count%2Cmessage_template_count%2Cmessage_template_limit%2Care_translations_complete&status=APPROVED%2CPAUSED&name=two_values`,
    );
    const number = await call(
      "GET",
      `/v24.0/${NUMBER_ID}?fields=id%2Cverified_name%2Cdisplay_phone_number%2Cconversational_automation%2Cstatus%2Cquality_rating%2Cquality_score%2Cwebhook_configuration%2Cname_status%2Cnew_name_status%2Ccode_verification_status%2Caccount_mode%2Cis_on_biz_app%2Cis_official_business_account%2Cis_pin_enabled%2Cis_preverified_number%2Csearch_visibility%2Cplatform_type%2Cthroughput%2Celigibility_for_api_business_global_search%2Chealth_status%2Ccertificate%2Cnew_certificate%2Clast_onboarded_time%2Ccountry_code%2Ccountry_dial_code%2Cwhatsapp_business_manager_messaging_limit`,
    );
    const account = await call(
      "GET",
      `/v24.0/${WABA_ID}?fields=id%2Cname%2Ctimezone_id%2Cmessage_template_namespace%2Cstatus%2Cbusiness_verification_status%2Cis_enabled_for_insights%2Cmarketing_messages_lite_api_status%2Cmarketing_messages_onboarding_status%2Con_behalf_of_business_info%2Cownership_type%2Chealth_status%2Ccurrency%2Ccountry%2Csubscribed_apps%2Cowner_business_info%2Caccount_review_status%2Cdisable_marketing_messages_on_cloud_api`,
    );

    assert.deepEqual([templates.status, number.status, account.status], [200, 200, 200]);
    assert.equal(templates.body.data.length, 2);
    const { message_template_count, ...summary } = templates.body.summary;
    assert.ok(message_template_count > 2);
    assert.deepEqual(summary, {
      total_count: 2,
      message_template_limit: 250,
      are_translations_complete: true,
    });
    assert.equal("conversational_automation" in number.body, false);
    assert.deepEqual([number.body.account_mode, account.body.name, account.body.status], [
      "LIVE",
      "Example Traders",
      "ACTIVE",
    ]);
  }));

Deno.test("GET /{waba_id} returns an account to its own token only", () =>
  withPlatform(async ({ call }) => {
    const own = await call("GET", `/v24.0/${WABA_ID}`);
    const foreign = await call("GET", "/v24.0/1001");

    assert.deepEqual(own.body, {
      name: "Example Traders",
      timezone_id: "1",
      message_template_namespace: `sandbox_${WABA_ID}`,
      id: WABA_ID,
    });
    assert.deepEqual([foreign.body.error.code, foreign.body.error.error_subcode], [100, 33]);
  }));

Deno.test("POST /message_templates keeps how long a message may wait", () =>
  withPlatform(async ({ call }) => {
    const body =
      `{"name":"auth_by_pywa","language":"en_US","category":"AUTHENTICATION","components":[{"type":"BODY","add_security_recommendation":true},{"type":"FOOTER","code_expiration_minutes":5},{"type":"BUTTONS","buttons":[{"type":"OTP","otp_type":"COPY_CODE","text":"Copy"}]}],"message_send_ttl_seconds":60}`;

    const made = await call("POST", `/v24.0/${WABA_ID}/message_templates`, { body });

    const shown = await call("GET", `/v24.0/${made.body.id}?fields=message_send_ttl_seconds`);
    assert.equal(shown.body.message_send_ttl_seconds, 60);
  }));
