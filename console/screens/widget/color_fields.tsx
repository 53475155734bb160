import { type UnreadablePair, unreadablePairs, type WidgetColors } from "../../../widget/shared/colors.ts";
import { Button } from "../../components/button.tsx";
import { Labelled } from "../../components/form/fields.tsx";
import { type ColorName, COLORS } from "./widget_config.ts";
import { widgetWords } from "../../i18n/widget_words.ts";
import { words } from "../../i18n/words.ts";

interface ColorsProps {
  legend: string;
  /** As they are entered; only valid ones are compared. */
  values: Record<ColorName, string>;
  /** As visitors would see them. */
  colors: WidgetColors;
  errorOf: (color: ColorName) => string | undefined;
  onChange: (color: ColorName, value: string) => void;
}

/** The colours of a widget, and which of them are hard to distinguish, with readable ones. */
export function ColorFields({ legend, values, colors, errorOf, onChange }: ColorsProps) {
  const { colorNames } = words().widget;
  return (
    <fieldset class="choices columns">
      <legend>{legend}</legend>
      {(Object.keys(COLORS) as ColorName[]).map((color) => (
        <ColorField
          key={color}
          label={colorNames[color]}
          value={values[color]}
          error={errorOf(color)}
          onChange={(to) => onChange(color, to)}
        />
      ))}
      <div class="unreadable" role="status">
        {unreadablePairs(colors).map((pair) => (
          <Unreadable
            key={pair.name + pair.against}
            pair={pair}
            onUse={() => onChange(pair.name, pair.better)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Unreadable({ pair, onUse }: { pair: UnreadablePair; onUse: () => void }) {
  const { colorNames } = words().widget;
  const { unreadable, use } = widgetWords();
  const { name, against, ratio, needed, better } = pair;
  return (
    <p class="notice warn">
      {unreadable(colorNames[name], colorNames[against], ratio.toFixed(1), String(needed))}{" "}
      <Button kind="quiet" onPress={onUse}>{use(better)}</Button>
    </p>
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
