// Print the names of the verifier's texts and the values that each wants, in every language.

import { inLanguage, textNames } from "../../src/discreet/web/verifier/texts.js";

const wanted = {};
for (const [language, names] of Object.entries(textNames())) {
  wanted[language] = Object.fromEntries(
    names.map((name) => {
      const values = new Set();
      const noting = new Proxy({}, { get: (_, key) => (values.add(key), "x") });
      inLanguage(language, name, noting);
      return [name, [...values].sort()];
    }),
  );
}
process.stdout.write(JSON.stringify(wanted));
