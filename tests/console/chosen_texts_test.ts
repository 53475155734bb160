import assert from "node:assert/strict";
import {
  chooseTexts as chooseInConsole,
  languagesOf,
  withText,
} from "../../console/screens/widget/chosen_texts.ts";
import { BUILT_IN_TEXTS, chooseTexts } from "../../supabase/functions/_shared/widgets/choose_texts.ts";

const CONFIGS = [
  {},
  { default_language: "de" },
  { texts: { en: { title: "Shop" }, es: { welcome: "¡Hola!" } } },
  { default_language: "en-GB", texts: { "en-GB": { title: "Shop" }, en: { welcome: "Hi" } } },
  { default_language: "ur", texts: { ur: { title: "دکان" }, "pt-BR": { send: "Enviar já" } } },
];

Deno.test("chooseTexts() of the preview chooses as the service does, in every language of every configuration", () => {
  for (const given of CONFIGS) {
    const config = { default_language: "en", texts: {}, ...given };
    for (const language of languagesOf(BUILT_IN_TEXTS.chat, config)) {
      const shown = chooseInConsole(BUILT_IN_TEXTS.chat, config, language);

      const texts = Object.fromEntries(Object.entries(shown).map(([name, { text }]) => [name, text]));
      assert.deepEqual(
        texts,
        chooseTexts("chat", config, language).texts,
        `${JSON.stringify(given)} ${language}`,
      );
    }
  }
});

Deno.test("chooseTexts() says which texts are missing in a language", () => {
  const config = { texts: { ur: { title: "دکان" } } };

  const { title, send, subtitle } = chooseInConsole(BUILT_IN_TEXTS.chat, config, "ur");

  assert.deepEqual([title?.source, send?.source, subtitle?.source], ["own", "other", "none"]);
  assert.equal(chooseInConsole(BUILT_IN_TEXTS.chat, config, "es").send?.source, "built_in");
  const english = { texts: { en: { title: "Shop" } } };
  assert.deepEqual(chooseInConsole(BUILT_IN_TEXTS.chat, english, "es").title, {
    text: "Shop",
    source: "other",
  });
});

Deno.test("withText() keeps the other texts, and no language without any", () => {
  const texts = { en: { title: "Shop", send: "Go" } };

  assert.deepEqual(withText(texts, { language: "EN", name: "title" }, ""), { en: { send: "Go" } });
  assert.deepEqual(withText(texts, { language: "es", name: "title" }, "Tienda"), {
    ...texts,
    es: { title: "Tienda" },
  });
  assert.deepEqual(withText({ es: { title: "Tienda" } }, { language: "es", name: "title" }, ""), {});
});
