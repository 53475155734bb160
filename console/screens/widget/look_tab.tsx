import { may } from "../../data/company.ts";
import type { WidgetDetails } from "../../data/sdk.ts";
import { Checkbox, Field, Labelled, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { AssistantField } from "./assistant_field.tsx";
import type { ChangeDraft, Draft } from "./draft.ts";
import {
  ANIMATION,
  ANIMATIONS,
  type ColorName,
  COLORS,
  FEATURES,
  PLACEMENTS,
  POSITION,
  type WidgetConfig,
} from "./widget_config.ts";
import { chatWidgetWords } from "../../i18n/chat_widget_words.ts";
import { words } from "../../i18n/words.ts";

interface LookProps {
  kind: WidgetDetails["kind"];
  draft: Draft;
  change: ChangeDraft;
  errorOf: ErrorOf;
}

/** Name, colours, placement and features. */
export function LookTab({ kind, draft: { name, config }, change, errorOf }: LookProps) {
  const names = words().widget;
  const set = (changes: Partial<WidgetConfig>) => change({ config: { ...config, ...changes } });
  return (
    <fieldset class="form bare" disabled={!may("operator")}>
      <Field
        label={names.name}
        value={name}
        error={errorOf("name")}
        onChange={(to) => change({ name: to })}
      />
      <fieldset class="choices columns">
        <legend>{names.colors}</legend>
        {(Object.keys(COLORS) as ColorName[]).map((color) => (
          <ColorField
            key={color}
            label={names.colorNames[color]}
            value={config.colors?.[color] ?? COLORS[color]}
            error={errorOf(`config.colors.${color}`)}
            onChange={(to) => set({ colors: { ...config.colors, [color]: to } })}
          />
        ))}
      </fieldset>
      <PlacementFields {...{ config, set, errorOf }} />
      {kind === "chat" && <AssistantField {...{ config, set, errorOf }} />}
      {kind === "voice" && <VoiceFields {...{ config, set, errorOf }} />}
      <fieldset class="choices">
        <legend>{names.features}</legend>
        {FEATURES[kind].map((feature) => (
          <Checkbox
            key={feature}
            label={{ ...names.featureNames, ...chatWidgetWords().features }[feature]}
            value={config.features?.[feature] ?? true}
            onChange={(is) => set({ features: { ...config.features, [feature]: is } })}
          />
        ))}
      </fieldset>
    </fieldset>
  );
}

interface PartProps {
  config: WidgetConfig;
  set: (changes: Partial<WidgetConfig>) => void;
  errorOf: ErrorOf;
}

function PlacementFields({ config, set, errorOf }: PartProps) {
  const names = words().widget;
  const position = { ...POSITION, ...config.position };
  const number = (name: "offset_x" | "offset_y" | "size") => (
    <Field
      label={names.positionNames[name]}
      type="number"
      value={String(position[name])}
      error={errorOf(`config.position.${name}`)}
      onChange={(to) => set({ position: { ...config.position, [name]: Number(to) } })}
    />
  );
  return (
    <div class="field-row">
      <Select
        label={names.placement}
        value={position.placement}
        options={PLACEMENTS.map((each) => [each, names.placements[each]] as const)}
        onChange={(placement) => set({ position: { ...config.position, placement } })}
      />
      {number("size")}
      {number("offset_x")}
      {number("offset_y")}
    </div>
  );
}

function VoiceFields({ config, set, errorOf }: PartProps) {
  const names = words().widget;
  const animation = { ...ANIMATION, ...config.animation };
  return (
    <div class="field-row">
      <Field
        label={names.agent}
        value={config.agent_id ?? ""}
        error={errorOf("config.agent_id")}
        onChange={(agent_id) => set({ agent_id })}
      />
      <Select
        label={names.animation}
        value={animation.type}
        options={ANIMATIONS.map((each) => [each as string, names.animations[each]] as const)}
        onChange={(type) => set({ animation: { ...config.animation, type } })}
      />
    </div>
  );
}

/** A colour, by the browser's own choice or by its code. */
function ColorField({ label, value, error, onChange }: {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <Labelled label={label} error={error}>
      {(aria) => (
        <span class="color">
          <input
            type="color"
            aria-label={words().widget.pick(label)}
            value={/^#[0-9a-f]{6}$/i.test(value) ? value : "#000000"}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          <input
            {...aria}
            value={value}
            autocomplete="off"
            onInput={(event) => onChange(event.currentTarget.value.trim())}
          />
        </span>
      )}
    </Labelled>
  );
}
