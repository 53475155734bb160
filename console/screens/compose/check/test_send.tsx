import { useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { readPreference, writePreference } from "../../../data/preferences.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import type { Ready } from "../draft.ts";
import { sendTest } from "../upload/upload.ts";
import { words } from "../../../i18n/words.ts";

const NUMBER = /^[1-9]\d{6,14}$/;

/** Sends the message of the first row to the person who composes it. */
export function TestSend({ ready }: { ready: Ready }) {
  const [typed, setTyped] = useState(readPreference("test_number") ?? "");
  const [sentAs, setSentAs] = useState<string | null>(null);
  const names = words().compose;
  const number = typed.replaceAll(/\D/g, "");

  async function send(): Promise<void> {
    writePreference("test_number", typed);
    const name = names.testName(ready.choices.campaignName.trim() || "1").slice(0, 200);
    const campaignId = await attempt(() => sendTest(ready, number, name));
    if (campaignId === undefined) return;
    setSentAs(campaignId);
    toast(names.tested);
  }

  return (
    <div class="test-send">
      <Field
        label={names.testNumber}
        type="tel"
        help={names.testHelp[ready.content.channel]}
        placeholder="+34 600 111 222"
        value={typed}
        onChange={setTyped}
      />
      <div class="form-end">
        <Button disabled={!NUMBER.test(number)} onPress={send}>{names.test}</Button>
        {sentAs && <a href={link(["campaigns", sentAs])}>{names.seeTest}</a>}
      </div>
    </div>
  );
}
