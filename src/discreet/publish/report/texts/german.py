"""The fixed texts of the report and of README.md in German."""

TEXTS = {
    "one_in": "1 zu {number}",
    "million": "Millionen",
    "billion": "Milliarden",
    "trillion": "Billionen",
    "1_million": "1 Million",
    "1_billion": "1 Milliarde",
    "1_trillion": "1 Billion",
    "under": "unter {number}",
    "over": "über {number}",
    "version": "Datenstand {version}",
    "contents": "Inhalt",
    "contact": "Kontakt: {text}",
    "licence": "Lizenz: {text}",
    "notes": "Hinweise",
    "lead": "Dies sind Tabellen mit Personenzahlen. Um alle Beteiligten zu schützen, wurde jede Zahl vor der"
    " Veröffentlichung zufällig verändert. Eine veröffentlichte Zahl liegt also nahe bei der wahren Zahl, ist ihr aber"
    " in der Regel nicht gleich. Bei jeder Zahl steht ein Intervall für die wahre Zahl.",
    "promise_person": "Ob eine beliebige einzelne Person beteiligt war oder nicht: Die Wahrscheinlichkeit, genau diese"
    " oder irgendwelche anderen Tabellen zu veröffentlichen, ändert sich höchstens um den Faktor {factor}{extra}.",
    "promise_row": "Ob eine beliebige einzelne Zeile in den Daten war oder nicht: Die Wahrscheinlichkeit, genau diese"
    " oder irgendwelche anderen Tabellen zu veröffentlichen, ändert sich höchstens um den Faktor {factor}{extra}.",
    "extra": ", zuzüglich einer Wahrscheinlichkeit von höchstens {chance}",
    "coin_person": "Anders gesagt: Wer es für einen Münzwurf hielt, ob eine bestimmte Person beteiligt war, kann sich"
    " nach dem Lesen aller Zahlen {sure} sein{aside}.",
    "coin_row": "Anders gesagt: Wer es für einen Münzwurf hielt, ob eine bestimmte Zeile in den Daten war, kann sich"
    " nach dem Lesen aller Zahlen {sure} sein{aside}.",
    "sure": "höchstens zu {percent} sicher",
    "weak": "nahezu sicher, weil die Garantie schwach ist",
    "aside": " (abgesehen von dieser zusätzlichen Wahrscheinlichkeit)",
    "no_guarantee": "Es wird keine Garantie gegeben.",
    "no_guarantee_from_data": "Die Kategorien wurden den Daten entnommen. Eine Kategorie, die aufgeführt ist oder"
    " fehlt, kann verraten, dass eine Person beteiligt war, und kein Rauschen verbirgt das.",
    "no_guarantee_found": "Einiges von dem, was festgelegt wurde ({found}), wurde in den Daten gefunden, und niemand"
    " hat eine andere Quelle genannt. Es kann verraten, dass eine Person beteiligt war, und kein Rauschen verbirgt"
    " das.",
    "contributions_of_person": "Beiträge einer Person",
    "no_guarantee_record_keys": "Das Rauschen wurde durch Satzschlüssel bestimmt, die mit den Daten geliefert wurden."
    " Aus diesem Ordner kann niemand erkennen, wie diese Schlüssel entstanden sind. Deshalb wird nichts zugesichert,"
    " weder für eine einzelne Zahl noch für alle zusammen.",
    "no_guarantee_whole": "Für diese Tabellen als Ganzes wird keine Garantie gegeben.",
    "no_guarantee_contributors": "Dieselbe Personengruppe erhält immer dasselbe Rauschen. Deshalb lassen sich zwei"
    " Zahlen vergleichen, die sich um eine Person unterscheiden, und die Garantien einzelner Zahlen ergeben zusammen"
    " keine Garantie für alle.",
    "one_count_promise": "Für eine einzelne Zahl, für sich gelesen, gilt: Die Wahrscheinlichkeit jedes Werts mit einer"
    " Person mehr ist höchstens das {factor}-Fache der Wahrscheinlichkeit ohne sie{extra}; und umgekehrt.",
    "fact_tables": "Tabellen",
    "fact_table": "Tabelle",
    "fact_counts": "verschiedene Zahlen",
    "fact_person": "dieser Zahlen können ein und dieselbe Person enthalten",
    "fact_row": "dieser Zahlen können ein und dieselbe Zeile enthalten",
    "fact_within": "19 von 20 Messungen sind höchstens so weit von der wahren Zahl entfernt",
    "touches_person": "Eine Person zählt in mehreren Zahlen mit: zum Beispiel in der Zahl ihres Bezirks, in der Zahl"
    " ihrer Altersgruppe und in der Zahl für beides zusammen. Hier zählt eine Person in höchstens {touched} von"
    " {counts} Zahlen mit. Die Garantie gilt für alle diese Zahlen zusammen.",
    "touches_row": "Eine Zeile der Daten zählt in mehreren Zahlen mit: zum Beispiel in der Zahl ihres Bezirks, in der"
    " Zahl ihrer Altersgruppe und in der Zahl für beides zusammen. Hier zählt eine Zeile in höchstens {touched} von"
    " {counts} Zahlen mit. Die Garantie gilt für alle diese Zahlen zusammen.",
    "given_far": "Vom Herausgeber vorgegebene Zahlen sind weit von den gemessenen entfernt.",
    "given_far_more": "Das Rauschen erklärt den Unterschied nicht, und die Tabellen folgen den vorgegebenen Zahlen:",
    "given": "Vorgegeben ist {count} für {who}, gemessen wurde {measured}",
    "tables": "Die Tabellen",
    "tables_intro": "Die große Zahl ist die veröffentlichte Zahl. Die kleinen Zahlen darunter sind ihr Intervall: Im"
    " Mittel über alle Zahlen enthalten mindestens 95\u202f% solcher Intervalle die wahre Zahl.",
    "tables_widened": "Ein Intervall beruht auf allen Messungen gemeinsam, wenn die Verteilung ihrer Fehler bekannt"
    " ist, und sonst auf der Messung seiner eigenen Zelle. Liegt die veröffentlichte Zahl"
    " außerhalb, weil die Tabellen additiv gemacht wurden, so wurde das Intervall bis zur veröffentlichten Zahl"
    " erweitert.",
    "tables_fixed": "Eine Zahl, die aus anderer Quelle öffentlich ist, steht ohne Intervall.",
    "tables_no_end": "Ein Intervall wie „≥ 5“ hat keine obere Grenze.",
    "tables_dash": "Ein Strich steht, wo keine Zahl veröffentlicht wurde.",
    "only": "Nur {filter}.",
    "show_rows": "Alle {rows} Zeilen anzeigen",
    "first_rows": "Die ersten {shown} von {rows} Zeilen. Die Dateien enthalten alle Zeilen.",
    "counts_by": "Zahlen nach {dimensions}",
    "one_count": "Eine Zahl",
    "files": "Dateien: {files}",
    "count": "Anzahl",
    "total": "Insgesamt",
    "other": "Sonstige oder ohne Angabe",
    "published": "Was veröffentlicht wurde",
    "cap_tables": "Tabellen",
    "head_table": "Tabelle",
    "head_by": "Zahlen nach",
    "head_who": "wer gezählt wird",
    "head_margins": "Randsummen",
    "head_counts": "Zahlen",
    "one_count_of_everyone": "eine Zahl für alle",
    "everyone": "alle",
    "the_total": "die Gesamtzahl",
    "none": "keine",
    "cap_categories": "Kategorien",
    "head_dimension": "Merkmal",
    "head_categories": "Kategorien",
    "head_levels": "gröbere Ebenen",
    "note_published": "Was nicht angegeben wurde oder zu keiner dieser Kategorien gehört, heißt in den Dateien"
    " <code>{other}</code>. Eine Summe über ein Merkmal heißt in den Dateien <code>{total}</code>. Eine Zahl, die in"
    " mehreren Tabellen steht, wurde nur einmal gemessen.",
    "any_number": "jede Zahl",
    "range_under": "unter {upper}",
    "range_over": "{lower} und mehr",
    "range": "{lower} bis unter {upper}",
    "dates_before": "vor dem {upper}",
    "dates_from": "ab dem {lower}",
    "dates": "vom {lower} bis vor dem {upper}",
    "reading": "Wie eine Zahl zu lesen ist",
    "within": "19 von 20 Messungen einer Zahl von {count} sind höchstens {within} von der Wahrheit entfernt.",
    "same_error": "Der Fehler einer großen Zahl ist nicht größer als der einer kleinen. Große Zahlen sind also relativ"
    " genauer.",
    "different_error": "Wie groß der Fehler ist, hängt von der Zahl ab, wie die Tabelle zeigt.",
    "few": "Lesen Sie kleine Zahlen als „wenige“ und vergleichen Sie große Zahlen.",
    "zero": "Eine wahre 0 wird mit einer Wahrscheinlichkeit von {chance} als 0 oder weniger gemessen. Eine 0 muss also"
    " nicht heißen, dass es niemanden gibt, und eine kleine Zahl nicht, dass es jemanden gibt.",
    "reading_note": "Dies gilt für einzelne Messungen. Für die Wahrscheinlichkeit einer richtigen Messung und für das"
    " Mittel gelten Messungen unter 0 als 0. Die Standardabweichung und die 95\u202f% beziehen sich auf die Messungen,"
    " wie sie sind.",
    "cap_errors": "Zu erwartender Fehler nach Größe der Zahl",
    "head_true": "wahre Zahl",
    "head_right": "Wahrscheinlichkeit, dass sie richtig gemessen wird",
    "head_deviation": "Standardabweichung",
    "head_within": "95\u202f% der Messungen liegen innerhalb von",
    "head_relative": "in Prozent der Zahl",
    "head_lean": "im Mittel zu hoch gemessen um",
    "clamped": "Eine wahre Zahl über {upper} wird behandelt, als wäre sie {upper}.",
    "noise_caption": "Das Rauschen einer Zahl von {count}. In der kräftigeren Farbe: die Abweichungen bis {within}"
    " nach beiden Seiten, mit einer Wahrscheinlichkeit von {chance}.",
    "noise_title": "Wahrscheinlichkeit jeder Abweichung",
    "noise_across": "gemessene minus wahre Zahl",
    "below_zero": "{below} der {counts} Messungen liegen unter 0. <code>measurements.csv</code> enthält sie so, wie"
    " sie gemessen wurden.",
    "sums_right": "Summen von Messungen sind im Mittel richtig.",
    "sums_off": "Jede Messung weicht im Mittel um {least} bis {greatest} ab.",
    "adding": "Additivität der Tabellen",
    "not_adding": "Warum die Tabellen nicht genau additiv sind",
    "additive": "Jede Zahl wurde für sich gemessen, auch die Summen. Deshalb sind die Messungen nicht additiv, und"
    " manche liegen unter 0. Die Tabellen dagegen sind additiv: Sie enthalten ganze Zahlen, keine unter 0, jede"
    " Gesamtzahl ist die Summe ihrer Teile, und sie sind den Messungen so nahe, wie es dann möglich ist. Dafür wurden"
    " nur die verrauschten Messungen verwendet; das geht nicht zulasten des Datenschutzes.",
    "additive_some": "Die Zahlen von {measured} wurden gemessen, jede für sich. Die übrigen Zahlen sind aus diesen"
    " Messungen mit der Methode der kleinsten Quadrate berechnet. Die Tabellen sind additiv: Sie enthalten ganze"
    " Zahlen, keine unter 0, jede Gesamtzahl ist die Summe ihrer Teile, und sie sind den Messungen so nahe, wie es"
    " dann möglich ist. Dafür wurden nur die verrauschten Messungen verwendet; das geht nicht zulasten des"
    " Datenschutzes.",
    "fact_measured": "gemessene Zahlen",
    "tables_unmeasured": "Eine Zahl, die nicht gemessen wurde, hat ein Intervall aus allen Messungen zusammen.",
    "noise_number": "Rauschen {number}: {groupings}",
    "additive_note": "In einer anderen Veröffentlichung kann dieselbe Zahl anders ausfallen, weil sie zu anderen"
    " Zahlen passen muss. Verwenden Sie für Berechnungen die Messungen in <code>measurements.csv</code>.",
    "ends": "Das Rauschen hat eine obere Grenze: Eine größere Zahl wird gemessen, als wäre sie diese Grenze. Deshalb"
    " ergeben die Zahlen zusammen nicht die veröffentlichten Summen und wurden nicht angepasst. Eine Messung unter 0"
    " wird als 0 gezeigt.",
    "not_additive": "Jede Zahl wurde für sich gemessen, auch die Summen. Eine Messung unter 0 wird als 0 gezeigt;"
    " sonst wurde nichts verändert. Die Zahlen ergeben zusammen nicht genau die veröffentlichten Summen. Verwenden Sie"
    " eine veröffentlichte Summe, statt selbst zu summieren.",
    "method_tree": "als Hierarchie, mit kleinsten Quadraten",
    "method_cube": "als gekreuzte Merkmale, mit kleinsten Quadraten",
    "method_wang-3": "als wahrscheinlichste Aufteilung der Gesamtzahl (Wang 2020, Algorithmus 3)",
    "method_none": "gar nicht: Jede Zahl unter 0 wird als 0 gezeigt",
    "cap_methods": "Tabellen, die gemeinsam additiv gemacht wurden",
    "head_tables": "Tabellen",
    "head_how": "wie",
    "methods_note": "Tabellen in verschiedenen Zeilen wurden nacheinander erstellt. Eine Zahl, die in beiden steht,"
    " kann zwei Werte haben, die beide aus einer Messung stammen.",
    "fixed": "Diese Zahlen stammen nicht aus den Daten. Der Herausgeber hat sie als anderweitig bekannt oder als"
    " definitionsgemäß leer vorgegeben, und die Tabellen halten sie ein. Sie fallen nicht unter die Garantie.",
    "cap_fixed": "Vorgegebene Zahlen",
    "head_given_who": "wer",
    "head_given": "Anzahl",
    "head_measured": "gemessen",
    "head_explained": "Rauschen erklärt den Unterschied",
    "yes": "ja",
    "no": "nein",
    "and_more": "Und {number} weitere.",
    "how_far": "Wie weit die Zahlen verschoben wurden und wie weit sie von der Wahrheit entfernt sind",
    "cap_moved": "Veröffentlichte Zahlen und Messungen im Vergleich",
    "head_moved_most": "größte Verschiebung",
    "head_moved": "typische Verschiebung",
    "head_error": "typischer Fehler der Messungen",
    "head_error_fit": "der kleinsten Quadrate",
    "head_error_published": "wie veröffentlicht",
    "exact_errors": "Der typische Fehler (quadratisches Mittel) der Messungen folgt aus den ganzen Zahlen der"
    " zertifizierten Tabelle. Der Fehler der kleinsten Quadrate, die aus allen Messungen eine Tabelle machen, folgt"
    " daraus nach einer Formel. Keiner von beiden ist simuliert oder aus den Daten berechnet. Für Tabellen, die"
    " vorgegebenen Zahlen oder einer Tabelle mit mehr Personen folgen, gibt es keine Formel. Dort steht ein Strich.",
    "simulation_failed": "Dass die Zahlen ganz und nicht negativ sind, verändert den Fehler noch einmal. Das ließ sich"
    " nicht simulieren: Für simuliertes Rauschen konvergierten die kleinsten Quadrate nicht. Deshalb fehlen hier die"
    " Fehler der veröffentlichten Zahlen. Die veröffentlichten Zahlen selbst sind davon nicht betroffen.",
    "too_many": "Es sind zu viele Zahlen, um zu simulieren, wie sich der Fehler dadurch ändert, dass die Zahlen ganz"
    " und nicht negativ sind.",
    "simulated": "Dass die Zahlen ganz und nicht negativ sind, verändert den Fehler noch einmal. Das wurde {runs}-mal"
    " simuliert: Die veröffentlichten Zahlen wurden als wahr angenommen, und für sie wurde erneut Rauschen gezogen."
    " Die wahren Zahlen wurden nicht verwendet. Ein Strich steht auch, wo Tabellen für eine Simulation zu groß sind"
    " oder eine Zahl um mehr als {sure} unsicher ist.",
    "moved_title": "Wie weit die Zahlen verschoben wurden",
    "moved_across": "veröffentlichte minus gemessene Zahl",
    "moved_up": "Anteil der Zahlen",
    "unchanged": "{unchanged} von {counts} veröffentlichten Zahlen sind so, wie sie gemessen wurden.",
    "guarantee": "Die Garantie",
    "why_not": "Für die Veröffentlichung als Ganzes wird nichts zugesichert; der Grund steht am Anfang dieser Seite.",
    "states_person": "A und B seien zwei Zustände der Daten, einer mit und einer ohne eine beliebige einzelne Person,"
    " und M die ganze Veröffentlichung. Für jede Menge S von Ordnern, die veröffentlicht werden könnten, gilt",
    "states_row": "A und B seien zwei Zustände der Daten, einer mit und einer ohne eine beliebige einzelne Zeile, und"
    " M die ganze Veröffentlichung. Für jede Menge S von Ordnern, die veröffentlicht werden könnten, gilt",
    "symbols": "{formula}, mit ε = {epsilon} und δ = {delta}.",
    "whatever": "Das gilt, was auch immer jemand sonst weiß und aus den Tabellen berechnet. Die Werte sind aus den"
    " ganzen Zahlen berechnet, aus denen das Rauschen gezogen wird, über alle Zahlen, in denen eine Person mitzählt,"
    " und sie sind obere Schranken.",
    "earlier": "Eine frühere Veröffentlichung mit der Versionskennung {label} hat {before} der {measured} gemessenen"
    " Tabellen und Randsummen gemessen. Sie haben hier dasselbe Rauschen und dieselben Werte, und die Garantie gilt für"
    " beide Veröffentlichungen zusammen.",
    "cap_guarantee": "Die Garantie in Zahlen",
    "head_what": "was",
    "head_value": "Wert",
    "head_meaning": "Bedeutung",
    "epsilon_meaning": "für die ganze Veröffentlichung",
    "delta_meaning": "für die ganze Veröffentlichung, eine obere Schranke, aufgerundet",
    "floor": "kleinstes Delta",
    "floor_meaning": "Delta fällt nie darunter, wie groß Epsilon auch ist",
    "touches": "Berührungen",
    "touches_meaning_person": "höchstens so viele der {counts} Zahlen enthalten ein und dieselbe Person",
    "touches_meaning_row": "höchstens so viele der {counts} Zahlen enthalten ein und dieselbe Zeile",
    "unit": "Einheit",
    "unit_row": "eine Zeile",
    "unit_row_meaning": "was geschützt ist; wer mehrere Zeilen hat, ist für jede Zeile einzeln geschützt",
    "unit_person": "eine Person",
    "unit_person_meaning": "wessen Daten geschützt sind",
    "contributions": "Beiträge",
    "contributions_meaning": "so viele Zeilen einer Person zählen höchstens; weitere wurden weggelassen",
    "one_count_alone": "eine Zahl für sich",
    "one_row_more": "eine Zeile mehr oder weniger",
    "one_person_more": "eine Person mehr oder weniger",
    "up_to_rows": ", mit bis zu {rows} Zeilen darin",
    "computed_exactly": ", exakt berechnet",
    "upper_bound": ", eine obere Schranke",
    "noise": "Rauschen",
    "noise_meaning": "wie vom Herausgeber beschrieben; die Garantie wird allein aus den ganzen Zahlen berechnet",
    "key": "Schlüssel",
    "key_query": "durch ein Geheimnis und die Definition der Zahl bestimmt; bei jeder Abfrage gleich",
    "key_fresh": "vom Betriebssystem neu gezogen; eine weitere Veröffentlichung dieser Daten kostet noch einmal so"
    " viel",
    "key_contributors": "durch die gezählten Personen bestimmt; dieselben Personen erhalten dasselbe Rauschen",
    "other_epsilons": "Bei anderen Werten von Epsilon",
    "other_epsilons_text": "Dasselbe Rauschen hält eine ganze Kurve von Zusicherungen ein: ein kleineres ε mit"
    " größerem δ und umgekehrt.",
    "curve_release": "Obere Schranken von δ für die ganze Veröffentlichung: von {highest} bei ε = {start} bis {lowest}"
    " bei ε = {end}.",
    "curve_count": "Obere Schranken von δ für eine Zahl für sich: von {highest} bei ε = {start} bis {lowest} bei ε ="
    " {end}.",
    "curve_title": "Kurve der Garantie",
    "curve_promised": "zugesichert",
    "at_most": "δ, höchstens",
    "cap_curve": "Dasselbe in Zahlen",
    "not_covered": "Was sie nicht abdeckt",
    "outside_names": "Die Namen von Tabellen und Merkmalen, die festgelegten Kategorien, die Filter, die Metadaten und"
    " jede Null oder Summe, die in der Spezifikation vorgegeben ist. Der Herausgeber hat sie festgelegt. Sie sind"
    " nicht aus den Daten berechnet.",
    "outside_general": "Was für Menschen allgemein gilt. Zeigen Tabellen, dass eine Krankheit in einem Bezirk häufig"
    " ist, so erfährt man das über alle dort, ob sie beteiligt waren oder nicht.",
    "outside_query": "Andere Veröffentlichungen über dieselben Personen. Jede hat ihre eigenen Kosten, und die Kosten"
    " summieren sich, solange geänderte Daten einen neuen Datenstand tragen. Unter einem alten Datenstand hätten sie"
    " dasselbe Rauschen und würden ihre genauen Unterschiede zeigen. Die Software des Herausgebers verweigert das; aus"
    " den Ordnern kann es niemand erkennen.",
    "outside_fresh": "Andere Veröffentlichungen über dieselben Personen. Jede hat ihre eigenen Kosten, und die Kosten"
    " summieren sich.",
    "outside_contributors": "Andere Veröffentlichungen über dieselben Personen. Ihre Garantien lassen sich mit dieser"
    " nicht zusammenrechnen.",
    "outside_from_data": "Welche Kategorien es gibt. Sie wurden den Daten unverändert entnommen.",
    "outside_found": "Was nach den Daten festgelegt wurde: {found}.",
    "outside_sources": "Woher Kategorien, Bereiche und Beiträge stammen, nach Angabe der veröffentlichenden Stelle:"
    " {sources}.",
    "outside_secret": "Ein Geheimnis, das bekannt wird. Das Rauschen wurde mit einem geheimen Schlüssel bestimmt; wer"
    " ihn hat, kann das Rauschen entfernen.",
    "checking": "Wie man es prüft",
    "checking_text": "Jeder kann diesen Ordner prüfen, allein mit dem Ordner: <code>discreet verify DIR</code>"
    " berechnet die Garantie aus den ganzen Zahlen in {certificate} neu und erzeugt die Tabellen und diese Seite noch"
    " einmal aus {measurements}, Byte für Byte. Ob der Herausgeber das Rauschen so gezogen hat, wie das Zertifikat"
    " sagt, oder ein Geheimnis gut bewahrt, lässt sich so nicht feststellen. <code>discreet verify --page DATEI</code>"
    " schreibt eine Seite, die Ordner in einem Browser mit einem eigenen Programm prüft.",
    "readme_tables": "Tabellen",
    "readme_columns": "`count` ist die veröffentlichte Zahl, `low` und `high` sind die Enden ihres Intervalls. Im"
    " Mittel über alle Zahlen enthalten mindestens 95\u202f% solcher Intervalle die wahre Zahl. Ist `high` leer, hat"
    " das Intervall keine obere Grenze.",
    "readme_marks": "`_total` ist eine Summe über ein Merkmal, `_other` ist alles, was nicht"
    " festgelegt oder nicht angegeben ist.",
    "leaves_in_other": "Bei {dimension} enthält `_other` auch {leaves}.",
    "readme_files": "Dateien",
    "readme_report": "der Bericht: Tabellen, Garantie, Fehler",
    "readme_manifest": "die Spezifikation, die Garantie, die Prüfsummen aller Dateien",
    "readme_certificate": "die ganzen Zahlen, aus denen das Rauschen gezogen wurde",
    "readme_measurements": "die verrauschten Zahlen, wie sie gemessen wurden",
    "readme_metadata": "Beschreibung der Spalten (CSV on the Web)",
    "readme_table": "eine Tabelle",
    "readme_check": "Um diesen Ordner zu prüfen, führen Sie `discreet verify DIR` aus.",
}
