import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { link } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { type CampaignDetails, type Failure, resendCampaign } from "../../data/sdk.ts";
import { toast } from "../../components/dialog/toast.tsx";
import { Field, Radios } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { count } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";
import { nameOf } from "../campaigns/columns.tsx";
import { type CampaignPath, useFailures } from "./campaign_data.ts";
import { resendable } from "./steps.ts";
import { isToCome, sendingTime, WhenFields, whenOf } from "./when_fields.tsx";

const DAY_MS = 86_400_000;

/** Sends again to those who failed, with one code or with all that can pass, and leads to the new campaign. */
export function ResendDialog({ campaign, path, code, onClose }: {
  campaign: CampaignDetails;
  path: CampaignPath;
  code?: string | undefined;
  onClose: () => void;
}) {
  const { data, patch } = useFailures(path);
  const failures = data?.failures ?? [];
  const names = words().campaign;
  const [name, setName] = useState(names.resentName(nameOf(campaign)));
  const [isLater, setLater] = useState(false);
  const [when, setWhen] = useState(() => whenOf(Date.now() + DAY_MS, campaign.timezone));
  const chosen = code === undefined ? failures : failures.filter((failure) => failure.code === code);

  function withResent(failure: Failure): Failure {
    const isResent = code === undefined ? failure.can_pass : failure.code === code;
    return isResent ? { ...failure, resent: failure.count } : failure;
  }

  async function save(): Promise<void> {
    const body = {
      campaign_name: name.trim(),
      ...(code !== undefined && { codes: [code] }),
      ...(isLater && sendingTime(when)),
    };
    const done = await ask(resendCampaign({ client: api(), path, body }));
    patch((known) => ({ ...known, failures: known.failures.map(withResent) }));
    onClose();
    if (done.inquiry_set_id === null) return toast(names.resentNone);
    toast(names.resent(count(done.processed)));
    navigate(link(["campaigns", done.inquiry_set_id]));
  }

  return (
    <FormDialog
      title={names.resendTitle}
      action={names.resendAction}
      disabled={name.trim() === "" || isLater && !isToCome(when)}
      onSave={save}
      onClose={onClose}
    >
      {() => (
        <>
          <p>{names.resendText(count(resendable(chosen)))}</p>
          <Field label={names.resendName} value={name} onChange={setName} />
          <Radios
            label={names.start}
            value={isLater ? "later" : "now"}
            options={[["now", names.startNow], ["later", names.startLater]]}
            onChange={(start) => setLater(start === "later")}
          />
          {isLater && <WhenFields value={when} onChange={setWhen} />}
        </>
      )}
    </FormDialog>
  );
}
