"""The fixed texts of the report and of README.md in French."""

TEXTS = {
    "one_in": "1 sur {number}",
    "million": "millions",
    "billion": "milliards",
    "trillion": "billions",
    "1_million": "1 million",
    "1_billion": "1 milliard",
    "1_trillion": "1 billion",
    "under": "moins de {number}",
    "over": "plus de {number}",
    "version": "Version des données\u202f: {version}",
    "contents": "Sommaire",
    "contact": "Contact\u202f: {text}",
    "licence": "Licence\u202f: {text}",
    "notes": "Remarques",
    "lead": "Ce sont des tableaux d’effectifs. Pour protéger toutes les personnes comptées, chaque effectif a été"
    " modifié au hasard avant sa publication. Un effectif publié est donc proche du vrai effectif, sans lui être égal"
    " en général. Chaque effectif est accompagné d’un intervalle pour le vrai effectif.",
    "promise_person": "Qu’une personne quelconque ait participé ou non, la probabilité de publier ces tableaux, ou"
    " n’importe quels autres, est la même à un facteur d’au plus {factor} près{extra}.",
    "promise_row": "Qu’une ligne quelconque ait figuré ou non dans les données, la probabilité de publier ces"
    " tableaux, ou n’importe quels autres, est la même à un facteur d’au plus {factor} près{extra}.",
    "extra": ", plus une probabilité d’au plus {chance}",
    "coin_person": "Autrement dit\u202f: quelqu’un pour qui la participation d’une personne était un tirage à pile ou"
    " face peut, après avoir lu tous les nombres publiés ici, en être {sure}{aside}.",
    "coin_row": "Autrement dit\u202f: quelqu’un pour qui la présence d’une ligne dans les données était un tirage à"
    " pile ou face peut, après avoir lu tous les nombres publiés ici, en être {sure}{aside}.",
    "sure": "sûr à {percent} au plus",
    "weak": "presque sûr, car la garantie est faible",
    "aside": " (cette probabilité supplémentaire mise à part)",
    "no_guarantee": "Aucune garantie n’est donnée.",
    "no_guarantee_from_data": "Les catégories ont été tirées des données. Une catégorie présente, ou absente, peut"
    " révéler qu’une personne a participé, et aucun bruit ne cache cela.",
    "no_guarantee_found": "Une partie de ce qui a été déclaré ({found}) a été trouvée dans les données, et personne"
    " n’a indiqué d’autre source. Cela peut révéler qu’une personne a participé, et aucun bruit ne le cache.",
    "contributions_of_person": "contributions d’une personne",
    "no_guarantee_record_keys": "Le bruit a été choisi par des clés d’enregistrement fournies avec les données."
    " Personne ne peut savoir à partir de ce dossier comment ces clés ont été produites. Rien n’est donc promis, ni"
    " pour un effectif ni pour l’ensemble.",
    "no_guarantee_whole": "Aucune garantie n’est donnée pour l’ensemble de ces tableaux.",
    "no_guarantee_contributors": "Le même groupe de personnes reçoit toujours le même bruit. On peut donc comparer"
    " deux effectifs qui diffèrent d’une personne, et les garanties des effectifs pris un à un ne forment pas une"
    " garantie pour l’ensemble.",
    "one_count_promise": "Pour un effectif lu seul, voici ce qui est promis\u202f: la probabilité de chaque valeur"
    " avec une personne de plus est au plus {factor} fois la probabilité sans elle{extra}\u202f; et réciproquement.",
    "fact_tables": "tableaux",
    "fact_table": "tableau",
    "fact_counts": "effectifs différents",
    "fact_person": "de ces effectifs peuvent inclure une même personne",
    "fact_row": "de ces effectifs peuvent inclure une même ligne",
    "fact_within": "19 mesures sur 20 sont au plus à cette distance du vrai effectif",
    "touches_person": "Une personne figure dans plusieurs effectifs\u202f: par exemple celui de son quartier, celui de"
    " sa classe d’âge, et celui des deux à la fois. Ici, une personne figure dans {touched} effectifs au plus sur"
    " {counts}. La garantie les couvre tous ensemble.",
    "touches_row": "Une ligne des données figure dans plusieurs effectifs\u202f: par exemple celui de son quartier,"
    " celui de sa classe d’âge, et celui des deux à la fois. Ici, une ligne figure dans {touched} effectifs au plus"
    " sur {counts}. La garantie les couvre tous ensemble.",
    "given_far": "Des effectifs fournis par l’éditeur sont loin de ce qui a été mesuré.",
    "given_far_more": "Le bruit n’explique pas l’écart, et les tableaux suivent les effectifs fournis\u202f:",
    "given": "{count} a été fourni pour {who}, et {measured} a été mesuré",
    "tables": "Les tableaux",
    "tables_intro": "Le grand nombre est l’effectif publié. Les petits nombres au-dessous sont son intervalle\u202f:"
    " en moyenne sur les effectifs, au moins 95\u202f% de ces intervalles contiennent le vrai effectif.",
    "tables_widened": "Un intervalle provient de toutes les mesures ensemble si la loi de leurs erreurs est connue, et"
    " sinon de la mesure de sa propre cellule. Si l’effectif publié se trouve en dehors, parce que les tableaux ont été"
    " rendus additifs, l’intervalle a été élargi jusqu’à l’effectif publié.",
    "tables_fixed": "Un effectif déjà public par ailleurs est donné sans intervalle.",
    "tables_no_end": "Un intervalle comme «\u202f≥ 5\u202f» n’a pas de borne supérieure.",
    "tables_dash": "Un tiret indique qu’aucun effectif n’a été publié.",
    "only": "Seulement {filter}.",
    "show_rows": "Afficher les {rows} lignes",
    "first_rows": "Les {shown} premières lignes sur {rows}. Les fichiers contiennent toutes les lignes.",
    "counts_by": "Effectifs par {dimensions}",
    "one_count": "Un effectif",
    "files": "Fichiers\u202f: {files}",
    "count": "effectif",
    "total": "Total",
    "other": "Autre ou non déclaré",
    "published": "Ce qui a été publié",
    "cap_tables": "Tableaux",
    "head_table": "tableau",
    "head_by": "effectifs par",
    "head_who": "qui est compté",
    "head_margins": "totaux (marges)",
    "head_counts": "effectifs",
    "one_count_of_everyone": "un effectif de toute la population",
    "everyone": "tout le monde",
    "the_total": "le total",
    "none": "aucun",
    "cap_categories": "Catégories",
    "head_dimension": "dimension",
    "head_categories": "catégories",
    "head_levels": "niveaux plus larges",
    "note_published": "Ce qui n’a pas été déclaré, ou n’est dans aucune de ces catégories, est compté comme"
    " <code>{other}</code> dans les fichiers. Un total sur une dimension s’y appelle <code>{total}</code>. Un effectif"
    " présent dans plusieurs tableaux a été mesuré une seule fois.",
    "any_number": "tout nombre",
    "range_under": "moins de {upper}",
    "range_over": "{lower} et plus",
    "range": "de {lower} à moins de {upper}",
    "dates_before": "avant le {upper}",
    "dates_from": "à partir du {lower}",
    "dates": "du {lower} inclus au {upper} exclu",
    "reading": "Comment lire un nombre",
    "within": "19 mesures sur 20 d’un effectif de {count} s’écartent d’au plus {within} de la vérité.",
    "same_error": "L’erreur d’un grand effectif n’est pas plus grande que celle d’un petit\u202f: les grands effectifs"
    " sont donc relativement plus précis.",
    "different_error": "L’erreur dépend de l’effectif, comme le montre le tableau.",
    "few": "Lisez un petit effectif comme «\u202fpeu\u202f», et comparez les grands.",
    "zero": "Un vrai 0 est mesuré comme 0, ou moins, avec une probabilité de {chance}. Un 0 ne veut donc pas forcément"
    " dire qu’il n’y a personne, ni un petit nombre qu’il y a quelqu’un.",
    "reading_note": "Ceci concerne les mesures prises une à une. Pour la probabilité d’une mesure juste et pour la"
    " moyenne, les mesures au-dessous de 0 sont lues comme 0. L’écart type et les 95\u202f% portent sur les mesures"
    " telles quelles.",
    "cap_errors": "Erreur attendue selon la taille de l’effectif",
    "head_true": "vrai effectif",
    "head_right": "probabilité d’une mesure juste",
    "head_deviation": "écart type",
    "head_within": "95\u202f% des mesures s’écartent d’au plus",
    "head_relative": "en pourcentage de l’effectif",
    "head_lean": "mesuré en trop, en moyenne",
    "clamped": "Un vrai effectif supérieur à {upper} est traité comme s’il valait {upper}.",
    "noise_caption": "Le bruit d’un effectif de {count}. En couleur plus vive\u202f: les écarts jusqu’à {within} de"
    " part et d’autre, dont la probabilité est de {chance}.",
    "noise_title": "Probabilité de chaque écart",
    "noise_across": "effectif mesuré moins vrai effectif",
    "below_zero": "{below} des {counts} mesures sont au-dessous de 0. <code>measurements.csv</code> les contient"
    " telles qu’elles ont été mesurées.",
    "sums_right": "Les sommes de mesures sont justes en moyenne.",
    "sums_off": "Chaque mesure s’écarte en moyenne de {least} à {greatest}.",
    "adding": "L’additivité des tableaux",
    "not_adding": "Pourquoi les tableaux ne sont pas exactement additifs",
    "additive": "Chaque effectif a été mesuré séparément, les totaux aussi. Les mesures ne sont donc pas additives, et"
    " certaines sont au-dessous de 0. Les tableaux, eux, sont additifs\u202f: ils contiennent des nombres entiers,"
    " aucun au-dessous de 0, chaque total est la somme de ses parties, et ils sont aussi proches des mesures que cela"
    " le permet. Seules les mesures bruitées ont servi, ce qui ne coûte rien en confidentialité.",
    "additive_some": "Les effectifs de {measured} ont été mesurés, chacun séparément. Les autres effectifs sont"
    " calculés à partir de ces mesures par moindres carrés. Les tableaux sont additifs\u202f: ils contiennent des"
    " nombres entiers, aucun au-dessous de 0, chaque total est la somme de ses parties, et ils sont aussi proches des"
    " mesures que cela le permet. Seules les mesures bruitées ont servi, ce qui ne coûte rien en confidentialité.",
    "fact_measured": "effectifs mesurés",
    "tables_unmeasured": "Un effectif qui n’a pas été mesuré a un intervalle tiré de toutes les mesures ensemble.",
    "noise_number": "Bruit {number}\u202f: {groupings}",
    "additive_note": "Dans une autre publication, le même effectif peut être différent, car il doit concorder avec"
    " d’autres. Pour des calculs, utilisez les mesures de <code>measurements.csv</code>.",
    "ends": "Le bruit a une borne supérieure\u202f: un effectif plus grand est mesuré comme s’il était égal à cette"
    " borne. La somme des effectifs n’est donc pas égale à leur total, et les effectifs n’ont pas été ajustés. Une"
    " mesure au-dessous de 0 est affichée comme 0.",
    "not_additive": "Chaque effectif a été mesuré séparément, les totaux aussi. Une mesure au-dessous de 0 est"
    " affichée comme 0, et rien d’autre n’a été fait. La somme des effectifs n’est pas exactement égale à leur total."
    " Utilisez un total publié plutôt qu’une somme.",
    "method_tree": "comme une hiérarchie, par moindres carrés",
    "method_cube": "comme des dimensions croisées, par moindres carrés",
    "method_wang-3": "comme la répartition la plus probable du total (Wang 2020, algorithme 3)",
    "method_none": "pas du tout\u202f: tout effectif au-dessous de 0 est affiché comme 0",
    "cap_methods": "Tableaux rendus additifs ensemble",
    "head_tables": "tableaux",
    "head_how": "comment",
    "methods_note": "Les tableaux de lignes différentes ont été faits l’un après l’autre. Un effectif présent dans les"
    " deux peut y avoir deux valeurs, toutes deux issues d’une même mesure.",
    "fixed": "Ces effectifs ne viennent pas des données. L’éditeur les a indiqués comme connus par ailleurs, ou comme"
    " vides par définition, et les tableaux les respectent. Ils sont hors de la garantie.",
    "cap_fixed": "Effectifs fournis",
    "head_given_who": "qui",
    "head_given": "effectif",
    "head_measured": "mesuré",
    "head_explained": "le bruit explique l’écart",
    "yes": "oui",
    "no": "non",
    "and_more": "Et {number} de plus.",
    "how_far": "De combien les nombres ont été déplacés, et à quelle distance ils sont de la vérité",
    "cap_moved": "Effectifs publiés et mesures",
    "head_moved_most": "déplacement maximal",
    "head_moved": "déplacement typique",
    "head_error": "erreur typique des mesures",
    "head_error_fit": "des moindres carrés",
    "head_error_published": "des effectifs publiés",
    "exact_errors": "L’erreur typique (moyenne quadratique) des mesures vient des entiers de la table certifiée. Celle"
    " des moindres carrés, qui font un seul tableau de toutes les mesures, s’en déduit par une formule. Aucune n’est"
    " simulée ni calculée à partir des données. Aucune formule ne couvre les tableaux qui suivent des effectifs"
    " fournis, ou un tableau de plus de personnes. Un tiret figure dans ces cas.",
    "simulation_failed": "Le fait que les effectifs soient entiers et non négatifs modifie encore l’erreur. Cela n’a"
    " pas pu être simulé\u202f: pour un bruit tiré en simulation, les moindres carrés n’ont pas convergé. Les erreurs"
    " des effectifs publiés sont donc omises ici. Les effectifs publiés eux-mêmes ne sont pas concernés.",
    "too_many": "Il y a trop d’effectifs pour simuler comment l’erreur change parce que les effectifs sont entiers et"
    " non négatifs.",
    "simulated": "Le fait que les effectifs soient entiers et non négatifs modifie encore l’erreur. Cela a été simulé"
    " {runs} fois\u202f: les effectifs publiés ont été pris pour la vérité, et du bruit a été tiré de nouveau pour"
    " eux. Les vrais effectifs n’ont pas été utilisés. Un tiret figure aussi là où les tableaux sont trop grands pour"
    " être simulés, ou là où un nombre est incertain de plus de {sure}.",
    "moved_title": "De combien les effectifs ont été déplacés",
    "moved_across": "effectif publié moins effectif mesuré",
    "moved_up": "part des effectifs",
    "unchanged": "{unchanged} effectifs publiés sur {counts} sont tels qu’ils ont été mesurés.",
    "guarantee": "La garantie",
    "why_not": "Rien n’est promis pour l’ensemble de la publication, pour la raison donnée en haut de cette page.",
    "states_person": "Soient A et B deux états des données, l’un avec et l’autre sans une personne quelconque, et M"
    " l’ensemble de la publication. Pour tout ensemble S de dossiers qui pourraient être publiés,",
    "states_row": "Soient A et B deux états des données, l’un avec et l’autre sans une ligne quelconque, et M"
    " l’ensemble de la publication. Pour tout ensemble S de dossiers qui pourraient être publiés,",
    "symbols": "{formula}, avec ε = {epsilon} et δ = {delta}.",
    "whatever": "Cela vaut quoi que l’on sache par ailleurs et quoi que l’on calcule à partir des tableaux. Les"
    " valeurs sont calculées à partir des entiers dont le bruit est tiré, sur tous les effectifs qui incluent une"
    " personne, et ce sont des bornes supérieures.",
    "earlier": "Une publication antérieure sous l’étiquette de version {label} a mesuré {before} des {measured}"
    " tableaux et marges mesurés. Ils ont ici le même bruit et les mêmes nombres, et la garantie couvre les deux"
    " publications ensemble.",
    "cap_guarantee": "La garantie en nombres",
    "head_what": "quoi",
    "head_value": "valeur",
    "head_meaning": "signification",
    "epsilon_meaning": "pour l’ensemble de la publication",
    "delta_meaning": "pour l’ensemble de la publication, une borne supérieure, arrondie vers le haut",
    "floor": "plancher de delta",
    "floor_meaning": "delta ne descend jamais plus bas, si grand que soit epsilon",
    "touches": "contacts",
    "touches_meaning_person": "des {counts} effectifs, au plus, peuvent inclure une même personne",
    "touches_meaning_row": "des {counts} effectifs, au plus, peuvent inclure une même ligne",
    "unit": "unité",
    "unit_row": "une ligne",
    "unit_row_meaning": "ce qui est protégé\u202f; une personne qui a plusieurs lignes est protégée pour chacune"
    " séparément",
    "unit_person": "une personne",
    "unit_person_meaning": "dont la vie privée est protégée",
    "contributions": "contributions",
    "contributions_meaning": "lignes d’une personne qui comptent, au plus\u202f; les autres ont été écartées",
    "one_count_alone": "un effectif seul",
    "one_row_more": "une ligne de plus ou de moins",
    "one_person_more": "une personne de plus ou de moins",
    "up_to_rows": ", qui y a jusqu’à {rows} lignes",
    "computed_exactly": ", calcul exact",
    "upper_bound": ", une borne supérieure",
    "noise": "bruit",
    "noise_meaning": "tel que l’éditeur le décrit\u202f; la garantie est calculée à partir de ses entiers seuls",
    "key": "clé",
    "key_query": "choisi par un secret et la définition de l’effectif\u202f; le même à chaque demande",
    "key_fresh": "tiré de nouveau par le système d’exploitation\u202f; une autre publication de ces données coûterait"
    " encore autant",
    "key_contributors": "choisi par les personnes comptées\u202f; les mêmes personnes reçoivent le même bruit",
    "other_epsilons": "Pour d’autres valeurs d’epsilon",
    "other_epsilons_text": "Le même bruit tient toute une courbe de promesses\u202f: un ε plus petit avec un δ plus"
    " grand, et inversement.",
    "curve_release": "Bornes supérieures de δ pour l’ensemble de la publication\u202f: de {highest} à ε = {start}"
    " jusqu’à {lowest} à ε = {end}.",
    "curve_count": "Bornes supérieures de δ pour un effectif lu seul\u202f: de {highest} à ε = {start} jusqu’à"
    " {lowest} à ε = {end}.",
    "curve_title": "Courbe de la garantie",
    "curve_promised": "ce qui est promis",
    "at_most": "δ, au plus",
    "cap_curve": "La même courbe en nombres",
    "not_covered": "Ce qu’elle ne couvre pas",
    "outside_names": "Les noms des tableaux et des dimensions, les catégories déclarées, les filtres, les métadonnées,"
    " et tout zéro ou total fixé dans la spécification. L’éditeur les a écrits. Ils ne sont pas calculés à partir des"
    " données.",
    "outside_general": "Ce qui est vrai des gens en général. Si des tableaux montrent qu’une maladie est fréquente"
    " dans un quartier, on l’apprend de tous ses habitants, qu’ils aient participé ou non.",
    "outside_query": "D’autres publications sur les mêmes personnes. Chacune a son propre coût, et les coûts"
    " s’additionnent, tant que des données modifiées ont une nouvelle étiquette de version. Sous une ancienne"
    " étiquette, elles auraient le même bruit et montreraient leurs différences exactes. Le logiciel de l’éditeur le"
    " refuse\u202f; à partir des dossiers, personne ne peut le savoir.",
    "outside_fresh": "D’autres publications sur les mêmes personnes. Chacune a son propre coût, et les coûts"
    " s’additionnent.",
    "outside_contributors": "D’autres publications sur les mêmes personnes. Leurs garanties ne s’ajoutent pas à"
    " celle-ci.",
    "outside_from_data": "Quelles catégories existent. Elles ont été tirées des données telles quelles.",
    "outside_found": "Ce qui a été déclaré à partir des données\u202f: {found}.",
    "outside_sources": "D’où viennent les catégories, les intervalles et les contributions, selon l’éditeur\u202f:"
    " {sources}.",
    "outside_secret": "Un secret divulgué. Le bruit a été choisi avec une clé secrète\u202f; qui la possède peut"
    " retirer le bruit.",
    "checking": "Comment vérifier",
    "checking_text": "Chacun peut vérifier ce dossier, avec le dossier seul\u202f: <code>discreet verify DIR</code>"
    " recalcule la garantie à partir des entiers de {certificate}, et refait les tableaux et cette page à partir de"
    " {measurements}, octet par octet. Cela ne dit pas si l’éditeur a tiré le bruit comme l’indique le certificat, ni"
    " s’il garde bien un secret. <code>discreet verify --page FICHIER</code> écrit une page qui vérifie des dossiers"
    " dans un navigateur, par un programme à elle.",
    "readme_tables": "Tableaux",
    "readme_columns": "`count` est l’effectif publié, `low` et `high` sont les bornes de son intervalle. En moyenne"
    " sur les effectifs, au moins 95\u202f% de ces intervalles contiennent le vrai effectif. Si `high` est vide,"
    " l’intervalle n’a pas de borne supérieure.",
    "readme_marks": "`_total` est un total sur une dimension, `_other` est tout ce qui n’est pas prévu ou pas déclaré.",
    "leaves_in_other": "Dans {dimension}, `_other` comprend aussi {leaves}.",
    "readme_files": "Fichiers",
    "readme_report": "le rapport\u202f: tableaux, garantie, erreurs",
    "readme_manifest": "la spécification, la garantie, les empreintes de tous les fichiers",
    "readme_certificate": "les entiers dont le bruit a été tiré",
    "readme_measurements": "les effectifs bruités tels qu’ils ont été mesurés",
    "readme_metadata": "description des colonnes (CSV on the Web)",
    "readme_table": "un tableau",
    "readme_check": "Pour vérifier ce dossier, lancez `discreet verify DIR`.",
}
