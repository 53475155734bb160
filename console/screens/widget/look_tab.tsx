import { darkColors, parseColors } from "../../../widget/shared/colors.ts";
import { may } from "../../data/company.ts";
import type { WidgetDetails } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Checkbox, Field, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { AssistantField } from "./assistant_field.tsx";
import { ColorFields } from "./color_fields.tsx";
import type { ChangeDraft, Draft } from "./draft.ts";
import { LauncherFields } from "./launcher_fields.tsx";
import {
  ANIMATION,
  ANIMATIONS,
  APPEARANCES,
  COLORS,
  FEATURES,
  OFF_BY_DEFAULT,
  PLACEMENTS,
  POSITION,
  type WidgetConfig,
} from "./widget_config.ts";
import { chatWidgetWords } from "../../i18n/chat_widget_words.ts";
import { widgetWords } from "../../i18n/widget_words.ts";
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
  const featureNames = { ...names.featureNames, ...widgetWords().features };
  const set = (changes: Partial<WidgetConfig>) => change({ config: { ...config, ...changes } });
  return (
    <fieldset class="form bare" disabled={!may("operator")}>
      <Field
        label={names.name}
        value={name}
        error={errorOf("name")}
        onChange={(to) => change({ name: to })}
      />
      <AppearanceFields {...{ config, set, errorOf }} />
      <LauncherFields {...{ config, set, errorOf }} />
      <PlacementFields {...{ config, set, errorOf }} />
      {kind === "chat" && <AssistantField {...{ config, set, errorOf }} />}
      {kind === "voice" && <VoiceFields {...{ config, set, errorOf }} />}
      <fieldset class="choices">
        <legend>{names.features}</legend>
        {FEATURES[kind].map((feature) => (
          <Checkbox
            key={feature}
            label={{ ...names.featureNames, ...chatWidgetWords().features, ...featureNames }[feature]}
            value={config.features?.[feature] ?? !OFF_BY_DEFAULT.includes(feature)}
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

/** Light, dark or both, and the colours of each. */
function AppearanceFields({ config, set, errorOf }: PartProps) {
  const names = widgetWords();
  const { appearance = "light", colors = {}, dark_colors: own = {} } = config;
  const light = parseColors(colors);
  const dark = darkColors(light, own);
  return (
    <>
      <Select
        label={names.appearance}
        value={appearance}
        options={APPEARANCES.map((each) => [each, names.appearances[each]] as const)}
        onChange={(to) => set({ appearance: to })}
      />
      <ColorFields
        legend={words().widget.colors}
        values={{ ...COLORS, ...colors }}
        colors={light}
        errorOf={(color) => errorOf(`config.colors.${color}`)}
        onChange={(color, to) => set({ colors: { ...colors, [color]: to } })}
      />
      {appearance !== "light" && (
        <>
          <ColorFields
            legend={names.darkColors}
            values={{ ...dark, ...own }}
            colors={dark}
            errorOf={(color) => errorOf(`config.dark_colors.${color}`)}
            onChange={(color, to) => set({ dark_colors: { ...own, [color]: to } })}
          />
          {Object.keys(own).length === 0
            ? <p class="help">{names.darkColorsHelp}</p>
            : <Button kind="quiet" onPress={() => set({ dark_colors: {} })}>{names.followColors}</Button>}
        </>
      )}
    </>
  );
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
