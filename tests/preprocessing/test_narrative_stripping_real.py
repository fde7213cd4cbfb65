"""The 46 real stories that are at hand: each begins and ends where a person who read it says it does.

No text of a story is kept here: only sha256 digests and lengths of what was read, white space collapsed. They were taken
from the files as downloaded, not from what strip_story returns. Skipped where the shared data is absent.
"""

import csv
import hashlib
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from scrollwork.preprocessing.stories.cut import StripResult, decode

SHARED = Path(os.environ.get("SCROLLWORK_SHARED") or Path(__file__).resolve().parents[3] / "shared")
STORIES = SHARED / "data/raw/narrativeqa"
pytestmark = pytest.mark.skipif(
    not (STORIES / "tmp").is_dir(),
    reason=f"no real stories at {STORIES}: set SCROLLWORK_SHARED to the folder that holds data/raw/narrativeqa",
)


@dataclass(frozen=True)
class Read:
    """What a person read: digests and lengths (characters, white space collapsed).

    opening: the first words of the text, a title page where there is one. first: the first sentence of prose, or of the
    scene, and where it starts. last: the last sentence of the story, and how much follows it in the book (THE END,
    footnotes, a printer's line). closing: the last words of the text.
    """

    opening: str
    opening_size: int
    first: str
    first_size: int
    first_at: int
    last: str
    last_size: int
    after_last: int
    closing: str
    closing_size: int


READ = {
    "014de1a8802c05ff64efa047e9290fb7fccea2b4": Read(
        "a250d8825e35de1653298fbbc986feac5e18a449778a38eb2720120bccd09cbf", 24,
        "12f9258b0db04babeb24f8edea7c22ab48e8d7613bebbd573a5e6dbb6696fe74", 184, 360,
        "8f296730588ab144f0a09a6249b20f5ccdae9ab5fbf2c7975ad6188503a7e548", 54, 0,
        "11dca44872d348b4aa57738bd89ab3012c30433f60293061c7712c6a05424633", 18,
    ),
    "08c3429e9717bc663bc5f41cd3a2c701c222ed2f": Read(
        "209cdd67d1ef808bc47fe3bc5b01c9858107d0ab38f986ab8cbb2ac91740462d", 28,
        "079fbf3843cc94ec453025f1bc288f6471b6c86b0468faf1508c0faf35ae60a8", 158, 358,
        "0d586909e403ed5b19eb96ec77ba47e630d896115cdc6eb86bf5c1f96d15bd2c", 133, 72,
        "d4eba12a2305f331f0e741a5ec15d38203177fe2640ff44cd2ab9c31e4f4658e", 12,
    ),
    "09333c7d604bd412e6aef5d3e56b046ed301c5e5": Read(
        "6c7057628b48f305d3700c4253bbf4b7d83c1386b6a5d46e9e284df26e4ab32f", 39,
        "b4da1e30043de64ee08ed52174465bbe0609e6c54ecb6d5c22c4614dbdc0daf1", 73, 63,
        "90aafdf1e11dbc125bef40549b44ab086be2182aded3b407c0af8e0b24dd7e69", 118, 0,
        "0bffae72288f4577a587fa5738f8bf0c1981efa0083a1b214a9e950a1877e57d", 27,
    ),
    "0c1274df8299049d4959ef8a1ea23a6a68e26f6e": Read(
        "550f1b2f03865e00313468fa3cba9d2945985972dfbbf19ab1d8f02f4a5f58fb", 23,
        "ada2bbfdc87ba909eefce146513739d6055989a56acec3b323a93ae9eae0e421", 36, 105,
        "4b56558481359503663074d023f3f009e8640dfa20291b24378d567e30df27f1", 63, 18,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "0d306f911ca339bc6ef6f484b29d30a809b08356": Read(
        "a2b349957c37f113aa40da168c7651fe91fda0262cf409a6703ebce98a61b8c9", 35,
        "bbded0ce8c87062a0398ef878201e2d262bb5c8c65641d9bfd5ab29123dcf909", 100, 728,
        "4c5e5d0a9985735cea140e66ab9739f9cf7b93a255c4ebbcb6b90845215ad61d", 200, 0,
        "b616ab06051c52a7eda4afc4e95d051c48ca1a0173ae06bc311f1fd370df0b25", 43,
    ),
    "0ecd1d809dabb7dab891d9c8a9e19a5f76397d2d": Read(
        "f99ad3401153e2c65c166bef530dde342408f4e5568065736efddb7689e999a3", 17,
        "6b778d35dc4ce52d78bfa5063619ace958926003366359cc8714245d0b9386f4", 86, 98,
        "785ca5e8ea79b1f9bc691d50855a54cff9ba227f1d3144f31844b5b3ef58891e", 24, 21,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "1288838955082c83ba4801ea8c7a0b0c157a3e3a": Read(
        "ee9b0d47d65521f5b0f3d07c1fb9201b5ab5606c425cf35479280c202e25952a", 31,
        "ddbbacbca1bdea71892cfc41f1477cbab5fabb2cd5a0e70ef1e00c4df17e3dd8", 57, 83,
        "28903be2022c5a3aa6a35f99350f5a50be8dd1d2e7fd89bb4b4c2ba02bbdd175", 88, 9,
        "f953533f03ed670716edd55fe0468e2a66c6a9f5e781b53bbf568b58fe2de7ee", 8,
    ),
    "1fa32a0798f79e13ca92ae84eda9ab3eb12c70a4": Read(
        "e4001fffbf985eb07947165b4f61ff3239a2c0df8303df1e0cbe23130a892d8e", 23,
        "5ce629260ec1db6b40d0316a57d68428e920d7666a8e25d2b2bbe552e0a61a16", 209, 380,
        "853d89ee993979fb7c67cfff6fc61de58df32536f3de6f6fab3009c08dd81ef2", 324, 0,
        "ca4f0407dea16989cd1b3c732f01b92b57f21fa1ea440dabf81003ea28c07114", 21,
    ),
    "2c5f448df18172babaac38806e1fb699a8baf65b": Read(
        "f5b6a7e854b43e951583cb96a087157b4299dc3075bc6d2c014bd4d4c97722a3", 37,
        "e942e6f6aef094eb981c250b96090cd7349ac8ecaeba3ae251724c4269a9f719", 103, 357,
        "62ca2ffe646f3d4f4326789a5163b915a1493f000ddb8d575907a61cd92d0c8f", 90, 0,
        "2089cd3b5891f8bfa28712cf6ab633805695e78eff454b13db690364123a9144", 20,
    ),
    "2dd593d19e201c9cf4edb0703cad0f525c1038a2": Read(
        "1758a04655c424176c5713399ac72b85fe4b889551230a96edf7205b412feb65", 32,
        "78b2a60ec533d9524dcfd721adcba88ad137b75dcc901e5a5db342aa24007b7b", 137, 200,
        "2eba24498375932eb44ca5affc6bcc4c13eee78ef1f53767c3bd7ddd0fb5d3a9", 170, 8,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "3146ee71f33d96619b57e2ae6417615aa2ad58b5": Read(
        "ebf9a7fa6885e8b0f1cc8c97009c8849ae8363b8a6fe6d630724662e6a504284", 13,
        "732b55268f1a0ceded90f119606ead94744d02f9572cadffb1415e2a1eebe448", 41, 6,
        "4af03580d9cc1478376c27b040d71fa2e6fe540b9ef72c31c2be2bdd9b28ca2f", 38, 17,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "350c0f8265c2d1183fd9a7e2a92c748998ac8775": Read(
        "fe061664de0763ff235dd25ddb6aa5cb838d59866cc6d021a0b0fa4a19da95cb", 19,
        "cc0660e3c9e99d9c738b8f0115eec20ad621c4789c94f95cdc93a5d3ef754569", 271, 395,
        "1b07593a725a13fae649e131e7aaec8427f45f221cef58826f8f40c4cc9e0944", 177, 0,
        "73af0de23794d3343c883e5065c19dccdd3e30e2cbc18186ce4affcc54f36906", 19,
    ),
    "4390a163555dbcd4511aa1edb5df5873d85e6291": Read(
        "9bf52aea89961912f89d45de13ff6463b3ba64524eab13fbdca5bb3debec747e", 19,
        "39878e77b5c3a0785c7385274a816572060a7305118249d3848b7e771b1e617e", 247, 192,
        "ab4b4da1b4afc41cfa29f7ab8581c2fbbc9cdec34103abef36e8ae71c1f05297", 113, 139,
        "2ed64ce6a12ef0d68addac2812e952216ae25d5f9fcc03e8475dd93d0529e27d", 19,
    ),
    "4a4f75695025f492d0f8d71cd121afb048bdaf1f": Read(
        "077dd37d7743c56a7d9e41feab71c617b4a92b7647c66110d93700dd101a56c1", 27,
        "3f1f21eb1ce4418b748bad0adc881027f77755b787a4332ba3f71f57188bbdf5", 35, 426,
        "1eecd865f9dcf2348ad9dc4513ee7014d648b6590e7ad6498c3c7ac2e7cf797c", 205, 0,
        "abb7d219b54a507eacdfaba5bc3d4c4ab6adfec573fa1e765801802aa0ca018d", 33,
    ),
    "4d64bda641788de51424d99f5f79393767abfac7": Read(
        "9d803d802ec5bfef4988e2af7df2724ef1af693700cd0e623058bd4982612ce1", 27,
        "e006d414872b8d11febfd228617b1dfff8483f8678179084c13ec4a6097b974f", 56, 250,
        "6f62f72adc81c5e415f3f3ba1fb22b180046bcec256799437640fec559c7da11", 205, 0,
        "7966ee24836bbc8b0d992406e8a45bf49a91e91f091a066fe0a99d151cacfcd0", 20,
    ),
    "4e6e052732e90a9c127f6502feddee1a17301c14": Read(
        "b277cbb7a2016f361c7cbadab5c925830370fb27b8a3bfeee825b461e902550d", 22,
        "209e869dc61698f085ee932e98f03e703f748b31b8f89f5ce41c111427ee0bd4", 80, 871,
        "2868782e2ad949c3dcaee2af815bf4403a9f76bbf1613e3bc559a50dfafb9c68", 139, 9,
        "f953533f03ed670716edd55fe0468e2a66c6a9f5e781b53bbf568b58fe2de7ee", 8,
    ),
    "5339e9db4aca0b74b644e736274989344864f0ba": Read(
        "d16498c99c80cb442e037b0a9b03fa989e8d29add1bb4e2d65c3e1a06efc5ae0", 21,
        "9d5f0348df6552fa8a1b32a08b9a1c6a5d46f09d904322b2c11b91b8df7623b9", 119, 147,
        "79f8221ce587336df4deba4d754e3dd99c6f86ef70e9d32ef51f2cbe7fac40c4", 51, 8,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "58b09dbe61c50f921f8d5d4b8c28183a920bf160": Read(
        "8cdf6b9c2940ddea9324f493d82c333fb6b85f6ae69346e28a132269762567d4", 23,
        "6942534ca84017ffbd4ec3584b5679d7661b6aca46eae9e4cbb11d6238c454cd", 59, 201,
        "469460468cbc32c71e60d159269a743ae3f250fee98d7260a89af9f59640e5ea", 60, 17,
        "ebc7aa0436b0a0775aee8bbc33e7830eec87da542bed65c4697f1847ee0312cf", 16,
    ),
    "63d1ef129001838ed7c2ec57afee68ea774c2460": Read(
        "bc1096ef737de38d6bae092b650c8113267d24c8ee942649ed62eca3a06e85cd", 54,
        "87891221d6f74120fa34e5aae83684909e00814ee05aac0977d58b2d9d96576a", 69, 295,
        "cc7cb92f8039cfdf1c8795fd573cddcfd6cbbd2805875aaa964d372c6f18f31d", 85, 0,
        "d6b28cf9f6a1886951eda881f2a3960f55f72af15e0753985b81b65f398a42f5", 16,
    ),
    "660773d96215d8a9c1dc486a0a9bfd2b0cd2e5b7": Read(
        "0e27d7ee5f2bbe78c0d4b167222f7b7d3d86bfab3a50b5b8743590c454757c0a", 30,
        "d8b97d856f5fe78f79a7522edc8f4695be0e74cbfc57bb533c2f159fa93f17d4", 453, 295,
        "074821a54dfaea079ccd355047e81d797af837fc5f5468bb970eff8e7ee9c5cf", 105, 9,
        "f953533f03ed670716edd55fe0468e2a66c6a9f5e781b53bbf568b58fe2de7ee", 8,
    ),
    "681778326e846ea9979ff3aed4ee9668abe7d489": Read(
        "2a97d05d469a4be2e3f965127c2ac3806540db1d4996b54e8748b8ad9347d629", 24,
        "2d39a00ed55baab29caa540f59463e46cb9030316ada5dde0db11610744dc4f0", 17, 86,
        "1c17da63eb3caf082f0780e9f84d82a5af355b1411ac3d4a9d8e008241690a77", 80, 18,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "72ddeff1fe6bb9841d1c1da4b3031001bf6b1f58": Read(
        "62e8097dec618e5e39166d54823f00ba55099123408642527616e48b63538236", 20,
        "27132fbf085ce4f973979b3873ca624b607d4541654c0650c0067c46b1067eca", 106, 42,
        "b29fcbe86969b2a363df3b6e0e76da7df648cefda638df9b02b58e38a657e5ce", 232, 0,
        "77c3ee6c4caa3397f820cfe41cca8b900b1a801cb8d0df40a90475f3911d5b21", 13,
    ),
    "7caf2f44d1a9e5ff56df26563d3b96ae3d0200c6": Read(
        "f73ee204df0c0db2004257f936209b92445dc2a45d2af8a470238d3faac8b9d4", 36,
        "717c8e2eb94df2886510919d48e3991c5c66dbf7bf4a73f13fe56a8811e4a2ff", 43, 503,
        "092e1b81bc682c813b8ebd139b7a885ea1e60ae1702c7a8b98fd895e96b8d246", 292, 0,
        "9569b33d442ead9bc264715bbc3e0c2174de739f76ad79c46465dd4638038626", 26,
    ),
    "808df2952d2a29807de69db8f77608025f667c97": Read(
        "a122f5f462971c07070403886e2a6a32b9fe019fc1106a81f48c88272d2d1df8", 26,
        "80f540cfbfbe4318db218373e168eeff41c9afb65fa6462deb77e5eb35f05f08", 318, 565,
        "2f67276294baabc85811d937291d5e6d305ee731c84f87949570edc7a749a089", 345, 0,
        "80a0a3ed9f739a91c0b0285225c802bcde0de3942ae1a2c2bab1b106ec3b0105", 30,
    ),
    "8127b75c8994e66d143f00e64ba75d5ee050ad15": Read(
        "0a21e5c47b95731f911ebaa786722968699067da48b38bba7e1503cbf3c82812", 26,
        "3eb31deded8b9f33a0c6b124bc7c6ec02f05d08e0619c88233ec8421a02b0adf", 248, 45,
        "7759793eee55baf6befe35c2d4a0f742da42f42e956a619381c323c2a3f83090", 94, 0,
        "cd015d2dacc18fee8dfa7ade5ad8473da8c908965981451d991cae63b385dead", 13,
    ),
    "879287f285743b08d86c3bd0831ec1e49fa92e39": Read(
        "2470e9c43cc7dd1a64cc4cf6e2673a563c5fe893de30d1a23ab3bab12734e321", 29,
        "ae7d66d665be1c2f7fc1f7c994b15f6389aadec800083e8645af38b776606d61", 46, 54,
        "ad80b21b782a287e33b81c037bc16f7e25a2cbda48e0cf428bc40a6d8dd7221d", 76, 0,
        "b2501f0e527b09ee1c7b0e89e0718d99d2816e8833fc39d3d93fa758b8eaf420", 11,
    ),
    "8932752af63261f435156ff18c41d3da39c3d5c6": Read(
        "6b9c632649348c30b359efa347e9053a4a5e5dffdc303cf7b32e41866b0d1ed4", 25,
        "3b0a61e1b9269e55fbf53a48715c45d70ba3b8975911334f61df9de82c685b19", 46, 52,
        "3da4b1804b7665211ddc5dad31a0a72a40656b6043a983953ba99d5327812b73", 139, 0,
        "be4f0065883603ee65248bcb10b20298839e3cc47a4d491d9b2de9cb339df97e", 13,
    ),
    "8a7a91b669cd6a37e96abcf846ef45a9c4cbb692": Read(
        "8323efa871f64d5b888284676c4ac3deb17fb6233903b827cf0cddea0c1ad4ee", 25,
        "024783d4fda98df446ad0c64ca23763a61f822b60fe53d58e86b96e55ef833d2", 54, 49,
        "f390d94ddd306f123d2c81575918d007234fb006f423d01caacc84daaa25497f", 211, 9,
        "f953533f03ed670716edd55fe0468e2a66c6a9f5e781b53bbf568b58fe2de7ee", 8,
    ),
    "8e38d4f70e7ffb5429a5d6a519cdf8864330eca7": Read(
        "45a73e2b792181c743a917ce097f4c8c414aed25d70358524a08734dc832f788", 26,
        "3cc3111e63797f3efe829b0542721d6b197826dcb5fd66416cfd0ba1d8c156e0", 85, 232,
        "48b341e6954830d8baeb36c5ec0cc4ed0bb59e9a1a99f55f254f36b0bf230298", 384, 0,
        "a9c7faba53631685f57851b8648d276592f4f8228ed7e0e6d30c45ca2274550f", 22,
    ),
    "8ec2acc82d024a645fe81f51270d6dbba8b7981e": Read(
        "8ec30eee2fab34ffd32ef8cc598fe45d7e9bff7b397f68ba14f8573c3a328b54", 14,
        "d436937a66f0a55091e1c72251dca719123cb97368ad1805e286edfa4ab11e4c", 307, 59,
        "d3ee50524d2e37142657912fff682dd5621c7d45c32b8ab3d1f765ea099d197e", 90, 0,
        "788454667224b76a3f9e82ff8f178ba3e83930d982f823a4c71e78638937ef81", 17,
    ),
    "926198f64d64f2bf796feddd42a4aa1714ddf5b2": Read(
        "c7983cb3f6f30f97f83088631f62d427efe5e2a6fcd25ff4b3dfdb3e2f288b95", 20,
        "59945ea00e34d92ed994cab03dc3e3c95f615f3f710b0379bc785e2ca63fe32f", 273, 111,
        "b668ef235c4877fee7a3db521c1df62a3809c60d44029f5929e5d302c370cd6d", 206, 0,
        "4ca2184a397b74d15a80dd557bcada18d243d464242f9b876830a71557880407", 19,
    ),
    "9292406d5193d3402195df7e5647fd168da2d15a": Read(
        "2ad36cebe68e910b17fb0eb4c1828bb0549562facaf20bfb8a9c3ababe625654", 23,
        "14784714da0b8dd735b2e579563f87eb87ae25997a3f209ae4f6b00b8e504372", 46, 107,
        "a0e8470f618a93baff9ee936d8e55f4c5ee57f4fb8b18f91236d4b305803d7a9", 75, 23,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "9562ea781e95c048df96f528a2a8272721cde3a7": Read(
        "d9ba4f80808632e0c0fce7c0eeec6c2dc1269b33594fb182e75ceee6c261fc20", 31,
        "1dcf537be9921968c4b5b01fb829b7bf67e3ba68782fe0b038d46af5d8c22152", 96, 266,
        "1c90846535ef8ec468ee5e478f4539323872fce59aac2bb9ec85e5c14815b9bf", 55, 0,
        "0307a33b83dc47bc82bbd9ca8761f70d135bf1e1d208a7a4c09dea6489369274", 18,
    ),
    "95e9be5fab8ef29c6135cffb2e335d03135458ea": Read(
        "4786ded30d0da2fb7ba51a08ce5457157d3f2f03155a46ff1e042b9a83a6e9e3", 22,
        "113cb61489f70bff64961877bd61e7058c0ff69eff5f90352f76154cf411e82a", 70, 123,
        "9f4b45bb4f9fbc5eac312063c4303e2952397879500ba135116887d256615a34", 77, 0,
        "4099e4548c9d66a6871b43cdf8b8f4f698d01d7574cf8f9d32daee255c620ef3", 24,
    ),
    "9d9741c1e26478633f439ec30de0329a5f4c02a7": Read(
        "c08bff65cb41080442edf51acefd30b1e37cf3cc526e48fcc4e8fc54a2705ebd", 24,
        "ce986f849c0410ba6953354b3a3e75dbe184f2fddbb4e5169f0f3ad2c10694a3", 35, 96,
        "73130169613b79095b9c393380dcb2a6ffa2ec1f71c971f74cb59d2c9a420253", 27, 8,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "a13c38e8ff1eb691b43cb2de0f0b253fcf3eb0f2": Read(
        "793d837ace97086fdb22792a9c94346aa8a7a29ca6dc4033c6b990555c177c41", 26,
        "f16f53b8a0dc867cce0c0c8c8b5e3e597d686069674d030b4d2d6c9b3de1cdb5", 65, 56,
        "901080248894bd2db53d0f68d174e8b462549e2e6998fa944426711b6962a2fe", 105, 17,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "a3178b2869767f5cccaa1cad82b439132abaebbf": Read(
        "cc4fa7da2cb0963c4f0cfd566803f3c54c424a40335eaa311db6068d37a8ae06", 22,
        "0cb3e8dd32f1730c09d3df5289e732403608d36190ae5b742d61fbae0bf135fc", 288, 191,
        "461a46a7d06ad7cb5f3977d0e0a08bd8cb7e3385fca209365d30567b97c5ff8b", 113, 249,
        "2cee2a2a97e843e3a94c10932ab75dcc5dffe36672648e9bad7e8ef37acf1c8b", 19,
    ),
    "a9a03a147849d65e6bcaf3cc74c3dd93d0ef88d4": Read(
        "9ee48a5f69e3b5fe34e31212eef283de13579692ecba2b823515413bed625045", 26,
        "8ca2fbaf9c8163bfcf0b10457fd9f2b6b952b902d09394fb609ff7f002f2f625", 114, 43,
        "34b9d3ab1366537d7125d19a288488154491005eae01dfdbf0576b8edd4ba298", 77, 0,
        "58d5054bdb668ead6566579e81b5c17831cb46e910e451c548d9b46f580efc5a", 21,
    ),
    "ae029461fcf47fb7c4e9e2574c7fb936ca29937b": Read(
        "4ba0dec0a298031a7fb4f65599352202a6f75d6902058e8e0f1845a657466176", 23,
        "f151735bacb32be71e21c9b8488a2e9182353ef253126871e60583496546f26a", 272, 1164,
        "7b2f87c68bf9f0f2db2b4f53d5a7af2147364fddbd3fb0b89cab912e97e4d5eb", 65, 0,
        "3ed9e71c82c4424520d95095a2fb0447d3805cd0bc915b4737b7498fed1a87b7", 17,
    ),
    "b2091fab7149af1b52bdd0a2bc28e60a2092a16a": Read(
        "69bd2d5d1a99184fd01d099f6743cc378fb2e3ebb0e3a8c94f6af7b932ede54b", 19,
        "2d7e5612989dcd61f672e28369c6ed73aceb62a23ae8d1a1bd8527b62838f69f", 156, 64,
        "b94dd667d3bee8f6b8337649be11ac955e19b5a857527971582018f8a9fe0086", 53, 0,
        "ac0a406364b5ee298cf6259672a4412a81f9a869d80e0620711b291ea7e90679", 14,
    ),
    "bfaf8bc1a86d524c9431e855c139da705730f165": Read(
        "1f7ae78fc7d6c27f0422da7ee7b8723ce271206e8bffcbae72b1a9b058210527", 34,
        "3765eba083eabc9e07fcc67b6ae89a304f808112e8e9dacd859de08cf4e7bea8", 120, 394,
        "3662a63cac83fde67ffe98847e29ac2717c02dcd403dedc91a25a55b1f2e63db", 52, 8,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
    "c9fab7d896ddf088d12ac7aaa448960789c73850": Read(
        "d9148dc76bf36bdf8db27559833f259b17373b3902cdcaa69d9284594e1b1244", 34,
        "ccac1c7d4d2f120a897657d98bb968d93f53e58269df233e65b9a8cdd72c0a2f", 208, 54,
        "619861a0a41ebc8622e654a12e4897510734ec8987144bde3864ff736bc59fe4", 65, 23,
        "e29628de42e8c493e0fd1cfdb028892f16e4861ecaa743719be14da8fb90c061", 11,
    ),
    "cb767b7edd8cf3c78492a3147415f3434349c0a7": Read(
        "c1132d918786cc53bb729bd2c66208c11c27ce06e0504cb1ae348403ea3a31b5", 21,
        "a5e87d5951dab4b969157bc6c3504516a957c236141a24973ebe17c8999d7dd7", 80, 648,
        "d0260fc875a3843ab67b09b34b3ec9000b01faca6fdffee12f7a123994de6dc1", 105, 71,
        "29d361ad65c6e5f774deac381f849d9a879b9d1adc98575bccb07f30a0db39a8", 16,
    ),
    "e2ad3b91abda132c04c65f7b93559d2ff23b1cac": Read(
        "940f5f009ab4ce11a72c240d3a855c40f549fcdfd967c07209e8fb2a520823e2", 23,
        "f182aeb24f1a5e9a9b39447f9f1144896035e971d351502793510b8f79c9ca90", 120, 77,
        "27fdc20b83daec58276ca760facecccadd5875f58db412c82e6e55c26bfcf283", 117, 717,
        "be59aca3c102e6884121ed2c4be6b72bf0ac28e930bce9992facfc006bbb6ef4", 20,
    ),
    "ff66a9853a184196f556d5cf226e18fddef6be1c": Read(
        "572b17e5b51a5e22e2a430314fc192e4419ca87771ff7994ad85409cde1056e0", 21,
        "3c8e37b43edb5d7f9e4e287c0b308c02ae38071a73406d2c2b1ac5a60591b57c", 121, 64,
        "d9bbcc9351559099b019fc7b36a08c8d2288d85cffe64096f78921c581720dee", 32, 0,
        "4096071dbd09b5adcdce528a1e280ab5fbe90ffb67181c66770cc48022ec71b9", 9,
    ),
    "ffcf7daee9cda766d2fcf1f6399b29be41876b21": Read(
        "dde92dd8bfd8e4a410b7d715c40b00d58061e9b6ae94967ca6c2ebb2ae365e35", 20,
        "07ed834c07ec27899ee1af94413c35d29f4ed0c8251bc524e66bf28dabcbd793", 75, 34,
        "fbac9852970710493b370121b321e80dc9ae4be64cf120c05fea47dff0888c92", 87, 8,
        "34a70d32ee976ccf59d2ef10404e3d8fb34a17f5bc2d459e9a8651e90cd5fa74", 7,
    ),
}  # fmt: skip
# lines of the books themselves that look like wrapping: sha256 of the line without white space at its ends
THE_BOOKS_OWN = frozenset(
    {"f50f8706be554babcecf26dd7d324400cb478d8fa1d21dd8ba9b393a8b760804"}
)  # an answer in a dialogue
WRAPPING = re.compile(
    r"</?[A-Za-z!][^<>]*>|gutenberg|pglaf|pgdp|https?:|www\.|\w@\w|\be-?text\b|\be-?book\b|small print|transcriber|proofread"
    r"|^\W*(?-i:Produced|E-text prepared|Prepared|Transcribed|Scanned|Typed|Digiti[sz]ed|HTML version) (?:by|from)\b"
    r"|educational purposes|top\.location|break-out-of-frames|imsdb",
    re.I,
)


def collapsed(text: str) -> str:
    return " ".join(text.split())


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def rows() -> dict[str, dict[str, str]]:
    with (STORIES / "documents.csv").open(encoding="utf-8", newline="") as file:
        return {row["document_id"]: row for row in csv.DictReader(file)}


@cache
def stripped(document_id: str) -> tuple[bytes, StripResult]:
    row = rows()[document_id]
    raw = (STORIES / "tmp" / f"{document_id}.content").read_bytes()
    return raw, strip_story(raw, row["kind"], row["story_start"], row["story_end"])


def test_every_story_at_hand_was_read() -> None:
    assert {path.stem for path in (STORIES / "tmp").glob("*.content")} == set(READ)


@pytest.mark.parametrize("document_id", READ)
def test_story_begins_and_ends_where_a_reader_says(document_id: str) -> None:
    read = READ[document_id]
    text = collapsed(stripped(document_id)[1].text)
    assert digest(text[: read.opening_size]) == read.opening
    assert digest(text[read.first_at :][: read.first_size]) == read.first
    end = len(text) - read.after_last
    assert digest(text[end - read.last_size : end]) == read.last
    assert digest(text[-read.closing_size :]) == read.closing


@pytest.mark.parametrize("document_id", READ)
def test_no_line_of_the_wrapping_is_left(document_id: str) -> None:
    lines = [line.strip() for line in stripped(document_id)[1].text.splitlines() if WRAPPING.search(line.strip())]
    assert [line for line in lines if digest(line) not in THE_BOOKS_OWN] == []


@pytest.mark.parametrize("document_id", READ)
def test_no_word_between_the_cuts_is_lost(document_id: str) -> None:
    raw, result = stripped(document_id)
    page = decode(raw)
    assert result.cut_start + len(result.text) + result.cut_inside + result.cut_end == len(page)
    kept = page[result.cut_start : len(page) - result.cut_end]
    if rows()[document_id]["kind"] == "movie":
        kept = re.sub(r"</?b>", "", kept)
        kept = re.sub(r"FOR EDUCATIONAL\s+PURPOSES ONLY", "", kept)
    missing = len(collapsed(kept)) - len(collapsed(result.text))
    noted = "transcriber's note" in result.rule
    assert 0 <= missing <= (600 if noted else 2), f"{missing} characters"


@pytest.mark.parametrize("document_id", READ)
def test_same_story_in_other_encodings_and_line_ends_is_cut_alike(document_id: str) -> None:
    raw, result = stripped(document_id)
    row = rows()[document_id]
    text = decode(raw)
    for other in (text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode(), text.replace("\n", "\r").encode()):
        assert strip_story(other, row["kind"], row["story_start"], row["story_end"]) == result
