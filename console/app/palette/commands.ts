import { companies, company, link } from "../../data/company.ts";
import { toggleLive } from "../../data/live/live.ts";
import { hrefTo } from "../../data/href.ts";
import { navigate } from "../../data/route.ts";
import { endSession } from "../../data/session/session.ts";
import { mayLeave } from "../../data/unsaved.ts";
import { chooseTheme, THEMES } from "../../data/theme.ts";
import type { IconName } from "../../components/icon.tsx";
import { attempt } from "../../components/dialog/toast.tsx";
import { LANGUAGE_NAMES } from "../../i18n/language.ts";
import { maySee } from "../may_see.ts";
import { SCREENS } from "../screens.ts";
import { openHelper } from "../shortcuts.ts";
import { chooseLanguage, words } from "../../i18n/words.ts";

/** Something to choose: a screen, a thing that was found, or an action. */
export interface Command {
  title: string;
  /** Sets it apart from others with its title. */
  note?: string;
  icon?: IconName | undefined;
  run: () => void;
}

/** Returns all that works on every screen. */
export function commands(): Command[] {
  const { goTo, shortcut, themes, theme, language: speech, logOut, shortcuts } = words().common;
  const others = companies.value?.filter(({ company_id }) => company_id !== company.value?.company_id) ?? [];
  return [
    ...SCREENS.filter((screen) => screen.group && maySee(screen)).map(({ path, icon }) => ({
      title: goTo(words().screens[path]),
      icon,
      run: () => navigate(link([path])),
    })),
    ...others.map(({ name, company_id }) => ({
      title: goTo(name),
      run: () => navigate(hrefTo([company_id, "overview"])),
    })),
    { title: shortcut.live, run: toggleLive },
    ...THEMES.map((each) => ({ title: `${theme}: ${themes[each]}`, run: () => chooseTheme(each) })),
    ...LANGUAGE_NAMES.map(([code, name]) => ({
      title: `${speech}: ${name}`,
      run: () => void attempt(() => chooseLanguage(code)),
    })),
    { title: shortcuts, run: () => openHelper.value = "help" },
    { title: logOut, run: () => void mayLeave().then((yes) => yes && endSession("left")) },
  ];
}

/** Whether each typed word is somewhere in a title, whatever its accents. */
export function matches(title: string, typed: string): boolean {
  const text = plain(title);
  return plain(typed).split(/\s+/).every((word) => text.includes(word));
}

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
