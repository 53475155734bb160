import { isIncomplete, readCompanies } from "../data/company.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { words } from "../i18n/words.ts";

/** Says that a part of the service does not answer, where companies of who is logged in may be in it. */
export function MissingCompanies() {
  if (!isIncomplete.value) return null;
  const { companiesMissing, companiesMissingHelp, retry } = words().common;
  return (
    <Notice title={companiesMissing} actions={<Button onPress={readCompanies}>{retry}</Button>}>
      {companiesMissingHelp}
    </Notice>
  );
}
