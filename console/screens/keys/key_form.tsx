import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { changeCompanyKey, type CompanyKey, type KeyPermission } from "../../data/sdk.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

/** Changes what the access key may do, and how much. */
export function KeyForm({ apiKey, etag, onClose, onSaved }: {
  apiKey: CompanyKey;
  etag: string;
  onClose: () => void;
  onSaved: () => void;
}) {
  // As it was when the form was opened: the page may read the key anew meanwhile.
  const [seen] = useState(etag);
  const [permissions, setPermissions] = useState<KeyPermission[]>(apiKey.permissions);
  const [rateLimit, setRateLimit] = useState(String(apiKey.rate_limit));
  const [quota, setQuota] = useState(String(apiKey.daily_quota));
  const names = words().keys;

  async function save(): Promise<void> {
    const body = { permissions, rate_limit: Number(rateLimit), daily_quota: Number(quota) };
    const [path, headers] = [{ company_id: companyId() }, ifMatch(seen)];
    await ask(changeCompanyKey({ client: api(), path, body, headers }));
    toast(words().common.saved);
    onClose();
    onSaved();
  }

  const toggle = (permission: KeyPermission, is: boolean) =>
    setPermissions(is ? [...permissions, permission] : permissions.filter((each) => each !== permission));
  return (
    <FormDialog title={names.changeTitle} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <fieldset class="choices columns">
            <legend>{names.permissions}</legend>
            {(Object.keys(names.mayDo) as KeyPermission[]).map((permission) => (
              <Checkbox
                key={permission}
                label={permission}
                help={names.mayDo[permission]}
                value={permissions.includes(permission)}
                onChange={(is) => toggle(permission, is)}
              />
            ))}
            {errorOf("permissions") && <p class="error">{errorOf("permissions")}</p>}
          </fieldset>
          <div class="field-row">
            <Field
              label={names.rateLimitLabel}
              type="number"
              value={rateLimit}
              error={errorOf("rate_limit")}
              onChange={setRateLimit}
            />
            <Field
              label={names.quotaLabel}
              type="number"
              value={quota}
              error={errorOf("daily_quota")}
              onChange={setQuota}
            />
          </div>
        </>
      )}
    </FormDialog>
  );
}
