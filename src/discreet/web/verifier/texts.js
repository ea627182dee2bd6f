// What the page says, in four languages. {names} in braces are filled in.

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

const ENGLISH = {
  title: "Verify a published folder",
  languages: "Languages",
  intro:
    "This page checks a folder of tables that was published with Discreet. It works without a network, and sends nothing:" +
    " the files stay on this computer.",
  drop: "Drop the folder here, or choose it.",
  choose_folder: "A folder",
  choose_file: "One certificate",
  result: "Result",
  about: "What this page does",
  about_checks:
    "The page recomputes from the files: the digests; the exact delta of every table of noise, in integers; in how many" +
    " measured cells one person is; what one person may lose in all cells together, by bounds of its own; whether every" +
    " measurement can come from its table of noise; and whether the tables add up, with no count below 0.",
  about_verdicts:
    "A claim holds if the page proved it, does not hold if the page refuted it, and is not decided otherwise. The code" +
    " shares nothing with the software that made the folder. It was written from the description of the format alone.",
  about_command: "The command discreet verify also makes tables and report again from the measurements.",
  checking: "Checking: {claim} ...",
  no_file: "There is no file. Choose the folder that holds manifest.json.",
  unreadable: "The files could not be read: {reason}. Choose the folder again.",
  duration: "Files: {count}. Seconds: {seconds}.",
  in_english: "",
  fails: "What does not hold",
  "not shown": "What this page could not decide",
  proved: "What holds",
  stated: "What this page does not know",
  verdict_fails: "A claim does not hold. Do not rely on these files.",
  "verdict_not shown": "No claim fails, and not every claim was decided.",
  verdict_proved: "Every claim that this page checks holds.",
  claim_specification: "specification",
  claim_files: "files",
  claim_groupings: "groupings",
  claim_touches: "touches",
  "claim_one cell": "one cell",
  claim_promise: "promise",
  claim_floor: "floor",
  claim_numbers: "numbers",
  claim_measurements: "measurements",
  claim_intervals: "intervals",
  "claim_adding up": "adding up",
  "claim_clamped tables": "clamped tables",
  claim_tables: "tables",
  "claim_what is stated": "what is stated",
  certificate_alone: "One cell: {loss}, delta = {delta}, recomputed from the weights in integers.",
  certificate_rest: "The properties and the figures of utility, which discreet verify computes again.",
  groupings: "The specification has {count} groupings, as listed.",
  files: "{count} files have the digests that the manifest states; there is no other file.",
  certificate: "The weights give the stated delta, exactly, in integers.",
  measurements: "Each of {count} measurements is an output that its table of noise can give.",
  intervals: "{count} intervals are those that the measurements give, and hold their counts.",
  other_intervals: "The ends of {count} intervals, which discreet verify computes again; each holds its count.",
  additive: "{tables}: no count is below 0, every margin is the sum of its cells, and tables of the same people agree.",
  clamped: "{tables}: the measurements, not below 0. They are not made to add up.",
  unread: "{tables}: this page reads no Parquet files and no workbooks.",
  stated_columns: "That the named columns were counted, and that values went into the categories as declared.",
  stated_noise:
    "That noise was drawn independently from the certified table, with keys of the stated kind. The counts before noise" +
    " are not in the folder.",
  stated_id: "That the column {column} identifies people, and that rows beyond the contributions were left out.",
  stated_fixed: "That counts which are fixed are public from elsewhere.",
  stated_ledger: "The entry of the ledger that paid for the release.",
  stated_rest:
    "Titles, texts, the report, Parquet files and workbooks: discreet verify makes them again from the measurements.",
  stated_who: "Who made the folder. A digest shows changes; it is no signature.",
  no_guarantee: "The release as a whole has no guarantee: {reason}.",
  touches: "One person is in at most {count} measured cells.",
  one_cell: "One cell alone: epsilon = {epsilon}, delta = {delta}.",
  promise:
    "For one person, over all cells together: epsilon = {epsilon} and delta = {delta}. This page's own bound of delta is" +
    " {upper}.",
  undecided:
    "epsilon = {epsilon} and delta = {delta}: this page's own bounds of delta are {lower} and {upper}, which do not" +
    " decide.",
  floor_stated: "No epsilon brings delta below {floor}, as the publisher states.",
  floor: "The part of delta that no epsilon lowers is at most {floor}.",
};

const GERMAN = {
  title: "Einen veröffentlichten Ordner prüfen",
  languages: "Sprachen",
  intro:
    "Diese Seite prüft einen Ordner mit Tabellen, der mit Discreet veröffentlicht wurde. Sie arbeitet ohne Netz und sendet" +
    " nichts: Die Dateien bleiben auf diesem Rechner.",
  drop: "Legen Sie den Ordner hier ab oder wählen Sie ihn aus.",
  choose_folder: "Ein Ordner",
  choose_file: "Ein einzelnes Zertifikat",
  result: "Ergebnis",
  about: "Was diese Seite tut",
  about_checks:
    "Die Seite berechnet aus den Dateien neu: die Prüfsummen; das genaue Delta jeder Rauschtabelle, in ganzen Zahlen; in" +
    " wie vielen gemessenen Zellen eine Person ist; was eine Person in allen Zellen zusammen verlieren kann, mit eigenen" +
    " Schranken; ob jede Messung aus ihrer Rauschtabelle stammen kann; und ob die Tabellen additiv sind, ohne Zahlen" +
    " unter 0.",
  about_verdicts:
    "Eine Aussage stimmt, wenn die Seite sie bewiesen hat. Sie stimmt nicht, wenn die Seite sie widerlegt hat. Sonst ist" +
    " sie nicht entschieden. Der Code hat nichts mit der Software gemeinsam, die den Ordner erstellt hat. Er wurde allein" +
    " nach der Beschreibung des Formats geschrieben.",
  about_command: "Der Befehl discreet verify erstellt außerdem Tabellen und Bericht noch einmal aus den Messungen.",
  checking: "Wird geprüft: {claim} ...",
  no_file: "Es ist keine Datei da. Wählen Sie den Ordner aus, der manifest.json enthält.",
  unreadable: "Die Dateien konnten nicht gelesen werden: {reason}. Wählen Sie den Ordner noch einmal aus.",
  duration: "Dateien: {count}. Sekunden: {seconds}.",
  in_english: "Was nicht stimmt, ist auf Englisch beschrieben.",
  fails: "Was nicht stimmt",
  "not shown": "Was diese Seite nicht entscheiden konnte",
  proved: "Was stimmt",
  stated: "Was diese Seite nicht weiß",
  verdict_fails: "Eine Aussage stimmt nicht. Verlassen Sie sich nicht auf diese Dateien.",
  "verdict_not shown": "Keine Aussage ist falsch, und nicht jede wurde entschieden.",
  verdict_proved: "Jede Aussage, die diese Seite prüft, stimmt.",
  claim_specification: "Spezifikation",
  claim_files: "Dateien",
  claim_groupings: "Gruppierungen",
  claim_touches: "Zellen einer Person",
  "claim_one cell": "eine Zelle",
  claim_promise: "Garantie",
  claim_floor: "kleinstes Delta",
  claim_numbers: "Zahlen",
  claim_measurements: "Messungen",
  claim_intervals: "Intervalle",
  "claim_adding up": "Additivität",
  "claim_clamped tables": "nicht additive Tabellen",
  claim_tables: "Tabellen",
  "claim_what is stated": "was nur angegeben ist",
  certificate_alone: "Eine Zelle: {loss}, delta = {delta}, aus den Gewichten in ganzen Zahlen neu berechnet.",
  certificate_rest: "Die Eigenschaften und Kennzahlen des Nutzens, die discreet verify neu berechnet.",
  groupings: "Die Spezifikation hat {count} Gruppierungen, wie angegeben.",
  files: "{count} Dateien haben die Prüfsummen, die das Manifest angibt; es gibt keine weitere Datei.",
  certificate: "Die Gewichte ergeben genau das angegebene Delta, in ganzen Zahlen.",
  measurements: "Jede der {count} Messungen kann aus ihrer Rauschtabelle stammen.",
  intervals: "{count} Intervalle sind die, die sich aus den Messungen ergeben, und enthalten ihre Zahlen.",
  other_intervals: "Die Enden von {count} Intervallen, die discreet verify neu berechnet; jedes enthält seine Zahl.",
  additive:
    "{tables}: Keine Zahl ist unter 0, jede Randsumme ist die Summe ihrer Zellen, und Tabellen derselben Personen stimmen" +
    " überein.",
  clamped: "{tables}: die Messungen, nicht unter 0. Sie wurden nicht additiv gemacht.",
  unread: "{tables}: Diese Seite liest keine Parquet-Dateien und keine Arbeitsmappen.",
  stated_columns: "Dass die genannten Spalten gezählt wurden und ihre Werte in die angegebenen Kategorien kamen.",
  stated_noise:
    "Dass das Rauschen unabhängig aus der zertifizierten Tabelle gezogen wurde, mit Schlüsseln der angegebenen Art. Die" +
    " Zahlen vor dem Rauschen sind nicht im Ordner.",
  stated_id: "Dass die Spalte {column} Personen kennzeichnet und überzählige Zeilen einer Person weggelassen wurden.",
  stated_fixed: "Dass vorgegebene Zahlen aus anderer Quelle öffentlich sind.",
  stated_ledger: "Der Eintrag des Budgetbuchs, der die Veröffentlichung bezahlt hat.",
  stated_rest:
    "Titel, Texte, Bericht, Parquet-Dateien und Arbeitsmappen: discreet verify erstellt sie noch einmal aus den Messungen.",
  stated_who: "Wer den Ordner erstellt hat. Eine Prüfsumme zeigt Änderungen; sie ist keine Unterschrift.",
  no_guarantee: "Die Veröffentlichung als Ganzes hat keine Garantie: {reason}.",
  touches: "Eine Person ist in höchstens {count} gemessenen Zellen.",
  one_cell: "Eine Zelle für sich: epsilon = {epsilon}, delta = {delta}.",
  promise:
    "Für eine Person, über alle Zellen zusammen: epsilon = {epsilon} und delta = {delta}. Die eigene Schranke dieser Seite" +
    " für delta ist {upper}.",
  undecided:
    "epsilon = {epsilon} und delta = {delta}: Die eigenen Schranken dieser Seite für delta sind {lower} und {upper}; sie" +
    " entscheiden nicht.",
  floor_stated: "Kein epsilon bringt delta unter {floor}, wie der Herausgeber angibt.",
  floor: "Der Teil von delta, den kein epsilon verringert, ist höchstens {floor}.",
};

const FRENCH = {
  title: "Vérifier un dossier publié",
  languages: "Langues",
  intro:
    "Cette page vérifie un dossier de tableaux publié avec Discreet. Elle fonctionne sans réseau et n’envoie rien\u202f:" +
    " les fichiers restent sur cet ordinateur.",
  drop: "Déposez le dossier ici, ou choisissez-le.",
  choose_folder: "Un dossier",
  choose_file: "Un seul certificat",
  result: "Résultat",
  about: "Ce que fait cette page",
  about_checks:
    "La page recalcule à partir des fichiers\u202f: les empreintes\u202f; le delta exact de chaque table de bruit, en" +
    " nombres entiers\u202f; le nombre de cellules mesurées où se trouve une personne\u202f; ce qu’une personne peut perdre" +
    " dans toutes les cellules ensemble, par ses propres bornes\u202f; si chaque mesure peut venir de sa table de" +
    " bruit\u202f; et si les tableaux sont additifs, sans effectif au-dessous de 0.",
  about_verdicts:
    "Une affirmation est vraie si la page l’a prouvée, fausse si la page l’a réfutée, et non tranchée sinon. Le code ne" +
    " partage rien avec le logiciel qui a fait le dossier. Il a été écrit d’après la seule description du format.",
  about_command: "La commande discreet verify refait aussi les tableaux et le rapport à partir des mesures.",
  checking: "Vérification\u202f: {claim}...",
  no_file: "Il n’y a pas de fichier. Choisissez le dossier qui contient manifest.json.",
  unreadable: "Les fichiers n’ont pas pu être lus\u202f: {reason}. Choisissez le dossier de nouveau.",
  duration: "Fichiers\u202f: {count}. Secondes\u202f: {seconds}.",
  in_english: "Ce qui est faux est décrit en anglais.",
  fails: "Ce qui est faux",
  "not shown": "Ce que cette page n’a pas pu trancher",
  proved: "Ce qui est vrai",
  stated: "Ce que cette page ne sait pas",
  verdict_fails: "Une affirmation est fausse. Ne vous fiez pas à ces fichiers.",
  "verdict_not shown": "Aucune affirmation n’est fausse, mais toutes n’ont pas été tranchées.",
  verdict_proved: "Toutes les affirmations que cette page vérifie sont vraies.",
  claim_specification: "spécification",
  claim_files: "fichiers",
  claim_groupings: "regroupements",
  claim_touches: "cellules d’une personne",
  "claim_one cell": "une cellule",
  claim_promise: "garantie",
  claim_floor: "plus petit delta",
  claim_numbers: "nombres",
  claim_measurements: "mesures",
  claim_intervals: "intervalles",
  "claim_adding up": "additivité",
  "claim_clamped tables": "tableaux non additifs",
  claim_tables: "tableaux",
  "claim_what is stated": "ce qui est seulement affirmé",
  certificate_alone: "Une cellule\u202f: {loss}, delta = {delta}, recalculé à partir des poids en nombres entiers.",
  certificate_rest: "Les propriétés et les chiffres d’utilité, que discreet verify recalcule.",
  groupings: "La spécification a {count} regroupements, comme indiqué.",
  files: "{count} fichiers ont les empreintes que donne le manifeste\u202f; il n’y a pas d’autre fichier.",
  certificate: "Les poids donnent exactement le delta indiqué, en nombres entiers.",
  measurements: "Chacune des {count} mesures peut venir de sa table de bruit.",
  intervals: "{count} intervalles sont ceux que donnent les mesures, et contiennent leurs effectifs.",
  other_intervals: "Les bornes de {count} intervalles, que discreet verify recalcule\u202f; chacun contient son effectif.",
  additive:
    "{tables}\u202f: aucun effectif n’est au-dessous de 0, chaque marge est la somme de ses cellules, et les tableaux des" +
    " mêmes personnes concordent.",
  clamped: "{tables}\u202f: les mesures, jamais au-dessous de 0. Elles n’ont pas été rendues additives.",
  unread: "{tables}\u202f: cette page ne lit ni les fichiers Parquet ni les classeurs.",
  stated_columns: "Que les colonnes nommées ont été comptées, et que leurs valeurs sont allées dans les catégories déclarées.",
  stated_noise:
    "Que le bruit a été tiré indépendamment de la table certifiée, avec des clés du type indiqué. Les effectifs avant le" +
    " bruit ne sont pas dans le dossier.",
  stated_id: "Que la colonne {column} identifie les personnes, et que leurs lignes en trop ont été laissées de côté.",
  stated_fixed: "Que les effectifs fournis sont publics par ailleurs.",
  stated_ledger: "L’écriture du registre qui a payé la publication.",
  stated_rest:
    "Titres, textes, rapport, fichiers Parquet et classeurs\u202f: discreet verify les refait à partir des mesures.",
  stated_who: "Qui a fait le dossier. Une empreinte montre les changements\u202f; ce n’est pas une signature.",
  no_guarantee: "La publication dans son ensemble n’a aucune garantie\u202f: {reason}.",
  touches: "Une personne est dans au plus {count} cellules mesurées.",
  one_cell: "Une cellule seule\u202f: epsilon = {epsilon}, delta = {delta}.",
  promise:
    "Pour une personne, dans toutes les cellules ensemble\u202f: epsilon = {epsilon} et delta = {delta}. La borne de delta" +
    " propre à cette page est {upper}.",
  undecided:
    "epsilon = {epsilon} et delta = {delta}\u202f: les bornes de delta propres à cette page sont {lower} et {upper}, qui ne" +
    " tranchent pas.",
  floor_stated: "Aucun epsilon ne met delta au-dessous de {floor}, comme l’indique l’éditeur.",
  floor: "La part de delta qu’aucun epsilon ne réduit est au plus {floor}.",
};

const SPANISH = {
  title: "Verificar una carpeta publicada",
  languages: "Idiomas",
  intro:
    "Esta página comprueba una carpeta de tablas publicada con Discreet. Funciona sin red y no envía nada: los archivos se" +
    " quedan en este ordenador.",
  drop: "Suelte aquí la carpeta o elíjala.",
  choose_folder: "Una carpeta",
  choose_file: "Un solo certificado",
  result: "Resultado",
  about: "Qué hace esta página",
  about_checks:
    "La página vuelve a calcular a partir de los archivos: los resúmenes criptográficos; el delta exacto de cada tabla de" +
    " ruido, en enteros; en cuántas celdas medidas está una persona; lo que una persona puede perder en todas las celdas" +
    " juntas, con cotas propias; si cada medición puede salir de su tabla de ruido; y si las tablas son aditivas, sin" +
    " recuentos por debajo de 0.",
  about_verdicts:
    "Una afirmación es cierta si la página la demostró, falsa si la página la refutó, y queda sin decidir en otro caso. El" +
    " código no comparte nada con el programa que hizo la carpeta. Se escribió solo a partir de la descripción del formato.",
  about_command: "La orden discreet verify rehace además las tablas y el informe a partir de las mediciones.",
  checking: "Se comprueba: {claim}...",
  no_file: "No hay ningún archivo. Elija la carpeta que contiene manifest.json.",
  unreadable: "No se pudieron leer los archivos: {reason}. Elija la carpeta otra vez.",
  duration: "Archivos: {count}. Segundos: {seconds}.",
  in_english: "Lo que es falso se describe en inglés.",
  fails: "Lo que es falso",
  "not shown": "Lo que esta página no pudo decidir",
  proved: "Lo que es cierto",
  stated: "Lo que esta página no sabe",
  verdict_fails: "Una afirmación es falsa. No se fíe de estos archivos.",
  "verdict_not shown": "Ninguna afirmación es falsa, pero no todas se decidieron.",
  verdict_proved: "Todas las afirmaciones que esta página comprueba son ciertas.",
  claim_specification: "especificación",
  claim_files: "archivos",
  claim_groupings: "agrupaciones",
  claim_touches: "celdas de una persona",
  "claim_one cell": "una celda",
  claim_promise: "garantía",
  claim_floor: "delta mínimo",
  claim_numbers: "números",
  claim_measurements: "mediciones",
  claim_intervals: "intervalos",
  "claim_adding up": "aditividad",
  "claim_clamped tables": "tablas no aditivas",
  claim_tables: "tablas",
  "claim_what is stated": "lo que solo se declara",
  certificate_alone: "Una celda: {loss}, delta = {delta}, calculado de nuevo a partir de los pesos en enteros.",
  certificate_rest: "Las propiedades y las cifras de utilidad, que discreet verify vuelve a calcular.",
  groupings: "La especificación tiene {count} agrupaciones, como se declara.",
  files: "{count} archivos tienen los resúmenes que declara el manifiesto; no hay ningún otro archivo.",
  certificate: "Los pesos dan exactamente el delta declarado, en enteros.",
  measurements: "Cada una de las {count} mediciones puede salir de su tabla de ruido.",
  intervals: "{count} intervalos son los que dan las mediciones, y contienen sus recuentos.",
  other_intervals: "Los extremos de {count} intervalos, que discreet verify vuelve a calcular; cada uno contiene su recuento.",
  additive:
    "{tables}: ningún recuento está por debajo de 0, cada margen es la suma de sus celdas, y las tablas de las mismas" +
    " personas coinciden.",
  clamped: "{tables}: las mediciones, no por debajo de 0. No se hicieron aditivas.",
  unread: "{tables}: esta página no lee archivos Parquet ni libros de cálculo.",
  stated_columns: "Que se contaron las columnas nombradas, y que sus valores fueron a las categorías declaradas.",
  stated_noise:
    "Que el ruido se extrajo de forma independiente de la tabla certificada, con claves del tipo declarado. Los recuentos" +
    " antes del ruido no están en la carpeta.",
  stated_id: "Que la columna {column} identifica a las personas, y que se dejaron fuera sus filas de más.",
  stated_fixed: "Que los recuentos dados son públicos por otra fuente.",
  stated_ledger: "El asiento del libro de presupuesto que pagó la publicación.",
  stated_rest:
    "Títulos, textos, el informe, archivos Parquet y libros de cálculo: discreet verify los rehace a partir de las mediciones.",
  stated_who: "Quién hizo la carpeta. Un resumen criptográfico muestra cambios; no es una firma.",
  no_guarantee: "La publicación en su conjunto no tiene ninguna garantía: {reason}.",
  touches: "Una persona está como máximo en {count} celdas medidas.",
  one_cell: "Una celda sola: epsilon = {epsilon}, delta = {delta}.",
  promise:
    "Para una persona, en todas las celdas juntas: epsilon = {epsilon} y delta = {delta}. La cota de delta propia de esta" +
    " página es {upper}.",
  undecided:
    "epsilon = {epsilon} y delta = {delta}: las cotas de delta propias de esta página son {lower} y {upper}, que no deciden.",
  floor_stated: "Ningún epsilon lleva delta por debajo de {floor}, como declara el editor.",
  floor: "La parte de delta que ningún epsilon reduce es como máximo {floor}.",
};

const TEXTS = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH };

/** Return a text with its values filled in. Numbers are written as the language writes them. */
export function inLanguage(language, name, values = {}) {
  if (!Object.hasOwn(TEXTS[language], name)) throw new Error(`there is no text ${name} in ${language}`);
  return TEXTS[language][name].replace(/\{(\w+)\}/g, (_, key) => written(language, values[key]));
}

function written(language, value) {
  return typeof value === "number" ? new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value) : String(value);
}

/** Return the name of a claim. A claim that is the name of a file stays as it is. */
export function claimName(language, claim) {
  const name = `claim_${claim}`;
  return Object.hasOwn(TEXTS[language], name) ? TEXTS[language][name] : claim;
}

/** Return the first language of the reader that the page has, else English. */
export function readersLanguage(wishes) {
  return wishes.map((wish) => wish.slice(0, 2).toLowerCase()).find((wish) => Object.hasOwn(TEXTS, wish)) ?? "en";
}

/** Return the names of all texts by language. */
export function textNames() {
  return Object.fromEntries(Object.entries(TEXTS).map(([language, texts]) => [language, Object.keys(texts)]));
}
