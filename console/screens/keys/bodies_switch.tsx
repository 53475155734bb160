import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { changeSettings } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { useSettings } from "../settings/settings_data.ts";
import { keyWords } from "../../i18n/key_words.ts";

/** Lets the bodies of the requests of all keys be kept, or not any more. */
export function BodiesSwitch() {
  const { data, reload } = useSettings();
  const names = keyWords();
  if (data === undefined) return null;
  const { record_bodies: isOn, etag } = data;

  async function press(): Promise<void> {
    const question = isOn
      ? { title: names.dropBodies, text: names.dropBodiesText, action: names.dropBodies, isDanger: true }
      : { title: names.keepBodies, text: names.keepBodiesText, action: names.keepBodies };
    if (!await confirm(question)) return;
    const path = { company_id: companyId() };
    const request = { client: api(), path, headers: ifMatch(etag), body: { record_bodies: !isOn } };
    if (await attempt(() => ask(changeSettings(request)))) {
      toast(isOn ? names.bodiesDropped : names.bodiesKept);
    }
    reload();
  }

  return <Button onPress={press}>{isOn ? names.dropBodies : names.keepBodies}</Button>;
}
