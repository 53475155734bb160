import { useState } from "preact/hooks";
import {
  LAUNCHER_ICONS,
  type LauncherIcon,
} from "../../../supabase/functions/_shared/widgets/launcher_icons.ts";
import { Button } from "../../components/button.tsx";
import { Field, Labelled, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { shrinkLogo } from "./shrink_logo.ts";
import type { WidgetConfig } from "./widget_config.ts";
import { widgetWords } from "../../i18n/widget_words.ts";

interface LauncherProps {
  config: WidgetConfig;
  set: (changes: Partial<WidgetConfig>) => void;
  errorOf: ErrorOf;
}

const OWN = "own";
const ICONS = [...Object.keys(LAUNCHER_ICONS) as LauncherIcon[], OWN] as const;

/** A path that shows something until the member has entered another. */
const FIRST_PATH = "M4 12h16";

/** The icon of the button, and the logo in the title. */
export function LauncherFields({ config, set, errorOf }: LauncherProps) {
  const names = widgetWords();
  const { icon = "default", path } = config.launcher ?? {};
  return (
    <>
      <div class="field-row">
        <Select
          label={names.icon}
          value={path === undefined ? icon : OWN}
          options={ICONS.map((each) => [each as string, names.icons[each]] as const)}
          onChange={(to) =>
            set({ launcher: to === OWN ? { path: FIRST_PATH } : { icon: to as LauncherIcon } })}
        />
        {path !== undefined && (
          <Field
            label={names.iconPath}
            value={path}
            help={names.iconPathHelp}
            error={errorOf("config.launcher.path")}
            onChange={(to) => set({ launcher: { path: to } })}
          />
        )}
      </div>
      <LogoField logo={config.logo} error={errorOf("config.logo")} onChange={(logo) => set({ logo })} />
    </>
  );
}

function LogoField({ logo, error, onChange }: {
  logo: string | undefined;
  error: string | undefined;
  onChange: (logo: string | undefined) => void;
}) {
  const names = widgetWords();
  const [isBad, setBad] = useState(false);

  async function choose(input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file) return;
    const shrunk = await shrinkLogo(file).catch(() => undefined);
    setBad(shrunk === undefined);
    if (shrunk !== undefined) onChange(shrunk);
    input.value = "";
  }

  return (
    <div class="field-group">
      <Labelled label={names.logo} help={names.logoHelp} error={isBad ? names.logoBad : error}>
        {(aria) => (
          <input
            {...aria}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            onChange={(event) => void choose(event.currentTarget)}
          />
        )}
      </Labelled>
      {logo !== undefined && (
        <Button kind="quiet" icon="close" onPress={() => onChange(undefined)}>{names.removeLogo}</Button>
      )}
    </div>
  );
}
