import { useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { readPreference, writePreference } from "../../../data/preferences.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import type { Ready } from "../draft.ts";
import { ColleaguesDialog } from "./colleagues_dialog.tsx";
import { testWithColleagues, testWithNumber, useColleagues } from "./test_data.ts";
import { words } from "../../../i18n/words.ts";

const NUMBER = /^[1-9]\d{6,14}$/;

/** Sends the message of the first person to who composes it, or to colleagues. */
export function TestSend({ ready, saveDraft }: { ready: Ready; saveDraft: () => Promise<string> }) {
  const [typed, setTyped] = useState(readPreference("test_number") ?? "");
  const [sentAs, setSentAs] = useState<string | null>(null);
  const [isChanging, setChanging] = useState(false);
  const { data: saved, reload } = useColleagues();
  const colleagues = saved?.colleagues ?? [];
  const names = words().compose;
  const { channel } = ready.content;
  const number = typed.replaceAll(/\D/g, "");

  async function send(test: () => Promise<string | null>): Promise<void> {
    const campaignId = await attempt(test);
    if (campaignId === undefined) return;
    setSentAs(campaignId);
    toast(names.tested);
  }

  function testMyself(): Promise<void> {
    writePreference("test_number", typed);
    const name = names.testName(ready.choices.campaignName.trim() || "1").slice(0, 200);
    return send(() => testWithNumber(ready, number, name));
  }

  return (
    <div class="test-send">
      <Field
        label={names.testNumber}
        type="tel"
        help={names.testHelp[channel]}
        placeholder="+34 600 111 222"
        value={typed}
        onChange={setTyped}
      />
      <div class="form-end">
        <Button disabled={!NUMBER.test(number)} onPress={testMyself}>{names.test[channel]}</Button>
        {sentAs && <a href={link(["campaigns", sentAs])}>{names.seeTest}</a>}
      </div>
      {saved && (
        <div class="form-end">
          {colleagues.length > 0 && (
            <Button onPress={() => send(async () => testWithColleagues(await saveDraft(), ready))}>
              {names.testAll(colleagues.length)}
            </Button>
          )}
          <Button kind="quiet" onPress={() => setChanging(true)}>
            {colleagues.length > 0 ? names.changeColleagues : names.saveColleagues}
          </Button>
        </div>
      )}
      {colleagues.length > 0 && <p class="help">{colleagues.map(({ name }) => name).join(", ")}</p>}
      {isChanging && saved && (
        <ColleaguesDialog
          {...saved}
          onClose={(isSaved) => {
            setChanging(false);
            if (isSaved) reload();
          }}
        />
      )}
    </div>
  );
}
