import { useEffect } from "preact/hooks";
import { arrival } from "../data/session/arrival.ts";
import {
  companies,
  companiesProblem,
  company,
  isIncomplete,
  readCompanies,
  usualCompany,
} from "../data/company.ts";
import { directionOf, language } from "../i18n/language.ts";
import { hrefTo } from "../data/href.ts";
import { route } from "../data/route.ts";
import { askingApp } from "../data/session/asking_app.ts";
import { endSession, session } from "../data/session/session.ts";
import { Button } from "../components/button.tsx";
import { Confirm } from "../components/dialog/confirm.tsx";
import { Empty } from "../components/empty.tsx";
import { ErrorNotice } from "../components/error_notice.tsx";
import { Toasts } from "../components/dialog/toast.tsx";
import { Arrive } from "../screens/log_in/arrive.tsx";
import { AskForCode } from "../screens/log_in/ask_for_code.tsx";
import { LogIn } from "../screens/log_in/log_in.tsx";
import { Frame } from "./frame.tsx";
import { Invitations } from "./invitations.tsx";
import { MissingCompanies } from "./missing_companies.tsx";
import { ScreenView } from "./screen_view.tsx";
import { findScreen } from "./screens.ts";
import { words } from "../i18n/words.ts";

/** The page: the log-in, or the frame with a screen in it. */
export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value;
    document.documentElement.dir = directionOf(language.value);
  }, [language.value]);
  return (
    <>
      <Content />
      <Confirm />
      <Toasts />
    </>
  );
}

/** An app that asks to be let in is a matter of the member's account. */
const ACCOUNT = findScreen(["account"])!;

function Content() {
  if (arrival.value) return <Arrive with={arrival.value} />;
  if (session.value === undefined) return <LogIn />;
  if (companiesProblem.value?.code === "second_factor_required") return <AskForCode />;
  return askingApp.value === undefined ? <Inside /> : <ScreenView {...ACCOUNT} />;
}

function Inside() {
  const known = companies.value;
  const wanted = route.value.path.length === 0 && known ? usualCompany(known) : undefined;
  useEffect(() => {
    if (wanted) location.replace(hrefTo([wanted.company_id, "overview"]));
  }, [wanted]);
  if (companiesProblem.value) {
    return (
      <Alone>
        <ErrorNotice problem={companiesProblem.value} onRetry={readCompanies} />
      </Alone>
    );
  }
  if (known === undefined || wanted) {
    return (
      <Alone>
        <p role="status">{words().common.loading}</p>
      </Alone>
    );
  }
  if (known.length === 0) {
    const logOut = <Button onPress={() => endSession("left")}>{words().common.logOut}</Button>;
    return (
      <Alone>
        <Invitations />
        {isIncomplete.value
          ? logOut
          : <Empty title={words().common.noCompany} action={logOut}>{words().common.noCompanyHelp}</Empty>}
      </Alone>
    );
  }
  if (company.value === undefined) {
    const { company_id } = usualCompany(known)!;
    return (
      <Alone>
        <Empty
          title={words().common.unknownPage}
          action={<a href={hrefTo([company_id, "overview"])}>{words().common.toOverview}</a>}
        >
          {words().common.unknownPageHelp}
        </Empty>
      </Alone>
    );
  }
  return <Frame company={company.value} path={route.value.path.slice(1)} />;
}

function Alone({ children }: { children: preact.ComponentChildren }) {
  return (
    <main class="alone">
      <MissingCompanies />
      {children}
    </main>
  );
}
