import { may } from "../../data/company.ts";
import type { VisitorCaps, WidgetDetails } from "../../data/sdk.ts";
import { CapFields } from "../../components/form/cap_fields.tsx";
import { Field } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import type { ChangeDraft, Draft } from "./draft.ts";
import { words } from "../../i18n/words.ts";

/** The caps that each kind of widget can reach. */
const CAPS: Record<WidgetDetails["kind"], (keyof VisitorCaps)[]> = {
  chat: ["conversations", "stored_mb"],
  voice: ["voice_sessions", "voice_minutes"],
};

/** The pages that may show it, and what its visitors may use per day. */
export function LimitsTab({ widget, draft, change, errorOf }: {
  widget: WidgetDetails;
  draft: Draft;
  change: ChangeDraft;
  errorOf: ErrorOf;
}) {
  const names = words().widget;
  const { allowed_origins, caps, max_session_minutes } = draft;
  return (
    <fieldset class="form bare" disabled={!may("operator")}>
      <Field
        label={names.origins}
        rows={4}
        value={allowed_origins.join("\n")}
        placeholder="https://shop.example"
        help={names.originsHelp}
        error={errorOf("allowed_origins")}
        onChange={(text) =>
          change({ allowed_origins: text === "" ? [] : text.split("\n").map((line) => line.trim()) })}
      />
      <CapFields
        label={names.caps}
        only={CAPS[widget.kind]}
        caps={caps}
        used={widget.used_today}
        errorOf={(name) => errorOf(`caps.${name}`)}
        onChange={(changes) => change({ caps: { ...caps, ...changes } })}
      />
      {widget.kind === "voice" && (
        <div class="field-row">
          <Field
            label={names.maxSession}
            type="number"
            value={String(max_session_minutes)}
            error={errorOf("max_session_minutes")}
            onChange={(text) => change({ max_session_minutes: Number(text) })}
          />
        </div>
      )}
    </fieldset>
  );
}
