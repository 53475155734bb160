import assert from "node:assert/strict";
import { EMPTY_DRAFT, requestOf, stemOf } from "../../console/screens/new_template/draft.ts";
import { LIBRARY, LIBRARY_LANGUAGES } from "../../console/screens/new_template/library.ts";
import { faultsOf } from "../../console/screens/new_template/rules.ts";
import { loadWords } from "../../console/i18n/words.ts";
import { readTemplateRequest } from "../../supabase/functions/_shared/templates/create/read_template_request.ts";

await loadWords("en");

Deno.test("every example keeps the rules of the form and of the API, in every language", () => {
  assert.equal(LIBRARY.length, 8);
  for (const { name, category, texts } of LIBRARY) {
    for (const [language] of LIBRARY_LANGUAGES) {
      const { title, ...own } = texts[language];
      const draft = { ...EMPTY_DRAFT, ...own, wabaId: "1", name, category, language };
      assert.deepEqual(faultsOf(draft, true), {}, `${title} ${language}`);
      readTemplateRequest({ ...requestOf(draft), company_id: crypto.randomUUID() });
      assert.equal(draft.examples.length, new Set(draft.body.match(/\{\d\}/g)).size, `${title} ${language}`);
    }
  }
});

Deno.test("a verification code has what the platform does not write itself", () => {
  const draft = { ...EMPTY_DRAFT, wabaId: "1", name: "code", category: "AUTHENTICATION" as const };

  assert.deepEqual(requestOf(draft).components_template, {
    BODY: { add_security_recommendation: true },
    FOOTER: { code_expiration_minutes: 10 },
    BUTTONS: [{ type: "OTP", otp_type: "COPY_CODE" }],
  });
  assert.deepEqual(Object.keys(faultsOf({ ...draft, codeMinutes: "100" }, true)), ["codeMinutes"]);
  assert.deepEqual([stemOf("order_ready_2"), stemOf("order_ready")], ["order_ready", "order_ready"]);
});
