import { isTest } from "../../data/company.ts";
import type { KeyPermission } from "../../data/sdk.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { TEST_PERMISSIONS } from "./test_permissions.ts";
import { keyWords } from "../../i18n/key_words.ts";

/** The rights and limits of a key, as they are typed. */
export interface KeyDraft {
  permissions: KeyPermission[];
  rateLimit: string;
  quota: string;
}

/** Returns the draft of what a key has. */
export function draftOf(
  key: { permissions: KeyPermission[]; rate_limit: number; daily_quota: number },
): KeyDraft {
  return {
    permissions: key.permissions,
    rateLimit: String(key.rate_limit),
    quota: String(key.daily_quota),
  };
}

/** Returns a draft as the API takes it. */
export function requestOf({ permissions, rateLimit, quota }: KeyDraft) {
  return { permissions, rate_limit: Number(rateLimit), daily_quota: Number(quota) };
}

/** Returns what is wrong with these fields: a form wants to be asked while it draws. */
export function keyErrors(errorOf: ErrorOf) {
  return {
    permissions: errorOf("permissions"),
    rateLimit: errorOf("rate_limit"),
    quota: errorOf("daily_quota"),
  };
}

/** Asks what a key may do, and how much. */
export function KeyFields({ draft, errors, onChange }: {
  draft: KeyDraft;
  errors: ReturnType<typeof keyErrors>;
  onChange: (draft: KeyDraft) => void;
}) {
  const names = keyWords();
  const { permissions } = draft;
  const all = Object.keys(names.mayDo) as KeyPermission[];
  const offered = isTest() ? all.filter((each) => TEST_PERMISSIONS.includes(each)) : all;
  const toggle = (permission: KeyPermission, is: boolean) =>
    onChange({
      ...draft,
      permissions: is ? [...permissions, permission] : permissions.filter((each) => each !== permission),
    });
  return (
    <>
      <fieldset class="choices columns">
        <legend>{names.permissions}</legend>
        {offered.map((permission) => (
          <Checkbox
            key={permission}
            label={permission}
            help={names.mayDo[permission]}
            value={permissions.includes(permission)}
            onChange={(is) => toggle(permission, is)}
          />
        ))}
        {errors.permissions && <p class="error">{errors.permissions}</p>}
      </fieldset>
      <div class="field-row">
        <Field
          label={names.rateLimitLabel}
          type="number"
          value={draft.rateLimit}
          error={errors.rateLimit}
          onChange={(rateLimit) => onChange({ ...draft, rateLimit })}
        />
        <Field
          label={names.quotaLabel}
          type="number"
          value={draft.quota}
          error={errors.quota}
          onChange={(quota) => onChange({ ...draft, quota })}
        />
      </div>
      <p class="help">{names.limitsHelp}</p>
    </>
  );
}
