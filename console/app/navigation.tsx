import { link, may } from "../data/company.ts";
import { language } from "../i18n/language.ts";
import { words } from "../i18n/words.ts";
import { GROUPS, SCREENS } from "./screens.ts";

/** The screens by group; on small pages only while the menu is open. */
export function Navigation(
  { path, isOpen, waiting, onClose, onChoose }: {
    path: string;
    isOpen: boolean;
    /** How many wait in the inbox. */
    waiting: string | undefined;
    onClose: () => void;
    /** A screen was chosen, perhaps the one that is shown. */
    onChoose: () => void;
  },
) {
  return (
    <nav
      id="navigation"
      class={isOpen ? "open" : undefined}
      aria-label={words().sections}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      {Object.entries(GROUPS).map(([group, title]) => {
        const screens = SCREENS.filter((screen) => screen.group === group && may(screen.role ?? "viewer"));
        if (screens.length === 0) return null;
        return (
          <div key={group} class="nav-group">
            <h2>{title[language.value]}</h2>
            <ul>
              {screens.map((screen) => (
                <li key={screen.path}>
                  <a
                    href={link([screen.path])}
                    aria-current={currentOf(screen.path, path)}
                    onClick={onChoose}
                  >
                    {screen.title[language.value]}
                    {screen.path === "inbox" && waiting && (
                      <span class="nav-count" title={words().waiting(waiting)}>
                        <span aria-hidden="true">{waiting}</span>
                        <span class="unseen">{words().waiting(waiting)}</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function currentOf(screen: string, path: string): "page" | "true" | undefined {
  if (path === screen) return "page";
  return path.startsWith(`${screen}/`) ? "true" : undefined;
}
